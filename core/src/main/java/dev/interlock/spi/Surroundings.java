package dev.interlock.spi;

import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * Time, threads and randomness as the engine sees them; replaced in tests, so that a run repeats from a seed.
 */
public interface Surroundings extends AutoCloseable {
    /**
     * Elapsed time in nanoseconds, never going back and counting the time the host was suspended, as far as
     * {@link #noticeSuspend()} has seen it. Only differences mean anything.
     */
    long nanos();

    /**
     * Looks whether the host was suspended and lets {@link #nanos()} jump by that time.
     *
     * @return for how many nanoseconds it has been suspended in all, as far as noticed
     */
    long noticeSuspend();

    /** The wall clock, for messages, as a seed, and to tell waits of different processes apart by age; no lease depends on it. */
    Instant wall();

    /** Random numbers for jitter and ids. */
    RandomGenerator random();

    /** Calls the alarm at or soon after each moment it asks for, from a thread that does nothing else, until closed. */
    void drive(Alarm alarm);

    /** A single-threaded executor for user callbacks of one kind; the name is for the thread. */
    Executor serial(String name);

    /** A pool of at most this many threads for blocking driver calls; threads are started when needed. */
    Executor pool(String name, int threads);

    /** Ends the threads. */
    @Override
    void close();

    /** Something that wants to be called when its time has come. */
    interface Alarm {
        /** Does what is due and gives the next moment, in {@link Surroundings#nanos()}; {@link Long#MAX_VALUE} for none. */
        long ring(long nowNanos);

        /** Hands over what to call when an earlier moment than the last answer of {@link #ring} is wanted. */
        void onEarlier(Runnable wakeUp);
    }
}
