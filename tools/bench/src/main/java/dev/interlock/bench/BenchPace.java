package dev.interlock.bench;

import java.time.Duration;

/**
 * How a worker runs its operations.
 *
 * @param timedEvery one in this many acquisitions is timed, because reading the clock may cost more than a lock
 * @param inside how long a worker stays in the critical section, so that a second holder would be noticed
 */
public record BenchPace(int timedEvery, Duration inside) {
    /**
     * For uncontended locks. A prime, so that the timed operations do not coincide with a periodic effect inside a
     * lock.
     */
    public static final BenchPace FREE = new BenchPace(61, Duration.ZERO);

    /** For locks that threads of one process contend for. */
    public static final BenchPace CONTENDED = new BenchPace(7, Duration.ZERO);

    /** For uncontended locks on a server, where reading the clock costs little in comparison. */
    public static final BenchPace REMOTE_FREE = new BenchPace(1, Duration.ZERO);

    /**
     * For contended locks on a server. The critical section takes as long as a short piece of work, so that an overlap
     * would show.
     */
    public static final BenchPace REMOTE_CONTENDED = new BenchPace(1, Duration.ofNanos(5_000));

    /** Busy-waits for the time in the critical section: a holder uses its processor. */
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
