package dev.interlock.bench;

import java.util.Arrays;

/**
 * Counters without any protection of their own, one for each lock: if two threads are inside the same lock, updates go
 * missing.
 *
 * <p>Each has its own cache lines, or threads with different locks would slow each other down here.
 */
final class PlainCounters {
    private static final int STRIDE = 16;
    private static final int MOST = 1024;

    private final long[] cells = new long[MOST * STRIDE];

    /** To be called while the counter's lock is held. */
    void increment(int number) {
        long before = cells[number * STRIDE];
        // Time for a second thread to come in, if the lock lets it.
        Thread.onSpinWait();
        cells[number * STRIDE] = before + 1;
    }

    void reset() {
        Arrays.fill(cells, 0);
    }

    long sum() {
        return Arrays.stream(cells).sum();
    }
}
