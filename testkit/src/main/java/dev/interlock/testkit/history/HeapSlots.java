package dev.interlock.testkit.history;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/** Slots in a growing array, for simulations and for histories written by hand. */
final class HeapSlots implements EventSlots {
    private final ReentrantLock growing = new ReentrantLock();
    private final int capacity;
    private long[] words = new long[16 * WORDS];
    private int claimed;

    HeapSlots(int capacity) {
        this.capacity = capacity;
    }

    @Override
    public void append(long header, long nanos, long attempt, long owner, long token, long a, long b, long c) {
        growing.lock();
        try {
            if (claimed == capacity) {
                throw new IllegalStateException("The in-memory event log is full: its capacity is " + capacity + ".");
            }
            int at = claimed * WORDS;
            if (at == words.length) {
                words = Arrays.copyOf(words, Math.max(at + at / 2 / WORDS * WORDS, at + WORDS));
            }
            words[at + 1] = nanos;
            words[at + 2] = attempt;
            words[at + 3] = owner;
            words[at + 4] = token;
            words[at + 5] = a;
            words[at + 6] = b;
            words[at + 7] = c;
            words[at] = header;
            claimed++;
        } finally {
            growing.unlock();
        }
    }

    @Override
    public int claimed() {
        return claimed;
    }

    @Override
    public long word(int slot, int word) {
        return words[slot * WORDS + word];
    }
}
