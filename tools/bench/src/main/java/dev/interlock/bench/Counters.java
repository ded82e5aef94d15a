package dev.interlock.bench;

/**
 * Numbers without any protection of their own, one for each lock: if two threads are inside the same lock, updates go missing.
 *
 * <p>An update is a {@link #read}, a moment, and a {@link #write}, all while the lock is held.
 */
interface Counters {
    /** The highest number of a counter, plus one. */
    int MOST = 1024;

    /** What a counter has. */
    long read(int number);

    /** Gives a counter a new value. */
    void write(int number, long value);

    /** All are zero again. */
    default void reset() {
        for (int number = 0; number < MOST; number++) {
            write(number, 0);
        }
    }

    /** All counters together. */
    default long sum() {
        long sum = 0;
        for (int number = 0; number < MOST; number++) {
            sum += read(number);
        }
        return sum;
    }
}
