package dev.interlock.testkit.history;

import java.util.Arrays;

/** Numbers its long keys from 0 in the order of first use. Open addressing, no boxing. */
final class LongTable {
    private static final int ABSENT = -1;

    private long[] keys;
    private int[] slots;
    private int size;

    LongTable(int expected) {
        this.keys = new long[Math.max(16, expected)];
        this.slots = emptySlots(keys.length);
    }

    /** Mixes the bits of a key. */
    static long mix(long key) {
        long x = (key ^ (key >>> 32)) * 0x9E3779B97F4A7C15L;
        x = (x ^ (x >>> 29)) * 0xBF58476D1CE4E5B9L;
        return x ^ (x >>> 32);
    }

    /** Returns the number of the key. The key is new if the number equals the size before the call. */
    int add(long key) {
        int at = place(key);
        if (slots[at] != ABSENT) {
            return slots[at];
        }
        if (size == keys.length) {
            grow();
            at = place(key);
        }
        keys[size] = key;
        slots[at] = size;
        return size++;
    }

    int size() {
        return size;
    }

    private int place(long key) {
        int mask = slots.length - 1;
        int at = (int) mix(key) & mask;
        while (slots[at] != ABSENT && keys[slots[at]] != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        keys = Arrays.copyOf(keys, keys.length + (keys.length >> 1));
        if (slots.length < 2L * keys.length) {
            slots = emptySlots(keys.length);
            for (int number = 0; number < size; number++) {
                slots[place(keys[number])] = number;
            }
        }
    }

    /** A power of two, at most half full. */
    private static int[] emptySlots(int capacity) {
        int[] slots = new int[Integer.highestOneBit(Math.max(16, capacity) * 2 - 1) * 2];
        Arrays.fill(slots, ABSENT);
        return slots;
    }
}
