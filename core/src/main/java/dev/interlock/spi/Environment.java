package dev.interlock.spi;

import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * Clock, threads and randomness as the engine sees them.
 *
 * <p>Tests replace it, so that a run can be repeated from a seed. Applications need not implement it.
 *
 * @since 0.1.0
 */
public interface Environment extends AutoCloseable {
    /**
     * Returns a monotonic time in nanoseconds. Only differences between two values have a meaning.
     *
     * <p>The clock includes the time during which the host was suspended, as far as {@link #noticeSuspend()} has found
     * it.
     */
    long nanos();

    /**
     * Checks whether the host was suspended, and if so advances {@link #nanos()} by that time.
     *
     * @return the total suspended time found so far, in nanoseconds
     */
    long noticeSuspend();

    /**
     * Returns the wall-clock time. It is used for messages, as a seed, and to compare the age of waits of different
     * processes. No lease depends on it.
     */
    Instant wall();

    /** Returns the source of random numbers for jitter and ids. */
    RandomGenerator random();

    /**
     * Starts to call the alarm at, or soon after, each moment that it asks for, until this environment is closed. The
     * calls come from a thread that does nothing else.
     */
    void drive(Alarm alarm);

    /**
     * Returns a new executor with one thread, for callbacks of the application.
     *
     * @param name the name of the thread
     */
    Executor serial(String name);

    /**
     * Returns a new executor for blocking calls of a driver. It starts its threads when they are needed.
     *
     * @param name the prefix of the thread names
     * @param threads the maximum number of threads
     */
    Executor pool(String name, int threads);

    /** Ends the threads. */
    @Override
    void close();

    /** A task that says itself when it wants to run next. */
    interface Alarm {
        /**
         * Does the work that is due.
         *
         * @param nowNanos the current time, in {@link Environment#nanos()}
         * @return when to call again, in {@link Environment#nanos()}; {@link Long#MAX_VALUE} for never
         */
        long ring(long nowNanos);

        /**
         * Sets the action that the alarm must run when it wants to be called earlier than its last {@link #ring} asked
         * for.
         *
         * @param wakeUp makes the environment call {@link #ring} soon
         */
        void onEarlier(Runnable wakeUp);
    }
}
