package dev.interlock.testkit.history;

import java.util.Arrays;

/** A growing array of longs. A value that was never set is zero. */
final class Longs {
    private long[] values = new long[64];
    private int size;

    long get(int index) {
        return index < values.length ? values[index] : 0;
    }

    void set(int index, long value) {
        if (index >= values.length) {
            values = Arrays.copyOf(values, Math.max(index + 1, values.length + (values.length >> 1)));
        }
        values[index] = value;
        size = Math.max(size, index + 1);
    }

    void add(long value) {
        set(size, value);
    }

    int size() {
        return size;
    }

    /**
     * For each share, returns the smallest value that this share of all values does not exceed, or -1 if there are
     * none.
     */
    long[] percentiles(double... shares) {
        long[] sorted = Arrays.copyOf(values, size);
        Arrays.sort(sorted);
        long[] found = new long[shares.length];
        for (int i = 0; i < shares.length; i++) {
            int rank = (int) Math.ceil(shares[i] * size);
            found[i] = size == 0 ? -1 : sorted[Math.max(0, rank - 1)];
        }
        return found;
    }
}
