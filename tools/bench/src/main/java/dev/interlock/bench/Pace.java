package dev.interlock.bench;

import java.time.Duration;

/**
 * How a worker goes about its operations.
 *
 * @param timedEvery one in so many acquisitions is timed, since reading the clock may cost more than a lock
 * @param inside how long a worker stays inside a lock: time for a second one to come in, if the lock lets it
 */
public record Pace(int timedEvery, Duration inside) {
    /** For locks that are free; a prime, so that what is timed does not fall into step with a bound inside a lock. */
    public static final Pace FREE = new Pace(61, Duration.ZERO);

    /** For locks that are contended inside one process. */
    public static final Pace CONTENDED = new Pace(7, Duration.ZERO);

    /** For locks on a server: what they cost is large against reading the clock. */
    public static final Pace REMOTE_FREE = new Pace(1, Duration.ZERO);

    /** For contended locks on a server: as long as a short piece of work takes, so that an overlap would show. */
    public static final Pace REMOTE_CONTENDED = new Pace(1, Duration.ofNanos(5_000));

    /** Lets the time inside pass, on the processor: whoever holds a lock works. */
    void stay() {
        long nanos = inside.toNanos();
        Thread.onSpinWait();
        if (nanos > 0) {
            long until = System.nanoTime() + nanos;
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
        }
    }
}
