package dev.interlock.bench;

/**
 * Unprotected counters, one per lock. If two threads are in the critical section of one lock, updates get lost.
 *
 * <p>An update is a {@link #read}, a pause and a {@link #write}, all while the lock is held.
 */
interface Counters {
    /** The number of counters. */
    int COUNT = 1024;

    /** Returns the value of a counter. */
    long read(int number);

    /** Sets the value of a counter. */
    void write(int number, long value);

    /** Sets all counters to zero. */
    default void reset() {
        for (int number = 0; number < COUNT; number++) {
            write(number, 0);
        }
    }

    /** The sum of all counters. */
    default long sum() {
        long sum = 0;
        for (int number = 0; number < COUNT; number++) {
            sum += read(number);
        }
        return sum;
    }
}
