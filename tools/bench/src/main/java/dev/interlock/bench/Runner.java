package dev.interlock.bench;

import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * One of two that pass a lock back and forth, each in a process of its own; measures how long the lock is on its way.
 *
 * <pre>
 *   side 0  |== holds ==|release|        looks whether side 1 has it, then asks again
 *   side 1    asks ..............|== holds ==|release|
 *                       |&lt;------&gt;|  from the call of release until the other one's acquire has returned
 * </pre>
 *
 * <p>The holder releases only when the other has been asking for some milliseconds, so that the other is surely waiting. How
 * many is random, or a lock that polls would be met at the same point of its pause each time. Both processes read the same
 * monotonic clock of the host.
 */
final class Runner implements Worker {
    private static final int COUNTER = 0;
    private static final int HOLDER = 1;
    private static final int RELEASED_AT = 2;
    private static final int ASKING = 3;

    /** What stands in {@link #ASKING} while a runner asks. */
    private static final long YES = 1;

    private static final long LOOK_NANOS = 500_000;
    private static final long HURRIED_LOOK_NANOS = 20_000;

    /** Even then the other one has to be in the queue: a lock that is free by the time it is asked for is another story. */
    private static final long HURRIED_WAIT_NANOS = 400_000;

    private static final long LEAST_WAIT_NANOS = 2_000_000;
    private static final long MOST_WAIT_NANOS = 5_000_000;

    private final Guard guard;
    private final Counters baton;
    private final int side;
    private final SplittableRandom random;
    private final Histogram handOffs = new Histogram(BenchWorker.LONGEST_NANOS, BenchWorker.DIGITS);
    private volatile boolean hurried;
    private long counted;
    private long all;

    Runner(Guard guard, Counters baton, int side) {
        this.guard = guard;
        this.baton = baton;
        this.side = side;
        this.random = new SplittableRandom(side);
    }

    /** Whether the lock is passed back soon after the other asks, to show the compiler more of it in less time. */
    void hurry(boolean yes) {
        hurried = yes;
    }

    @Override
    public void work(Signals signals) {
        handOffs.reset();
        counted = 0;
        all = 0;
        while (signals.phase() != Phase.OVER) {
            baton.write(ASKING + side, YES);
            guard.run(() -> hold(signals));
            all++;
            signals.underWay();
            awaitBaton(signals, HOLDER, name(1 - side));
        }
    }

    private void hold(Signals signals) {
        long now = System.nanoTime();
        baton.write(ASKING + side, 0);
        long seen = baton.read(COUNTER);
        if (signals.phase() == Phase.COUNTING && baton.read(HOLDER) == name(1 - side)) {
            handOffs.recordValue(Math.min(now - baton.read(RELEASED_AT), BenchWorker.LONGEST_NANOS));
            counted++;
        }
        baton.write(HOLDER, name(side));
        awaitBaton(signals, ASKING + 1 - side, YES);
        LockSupport.parkNanos(hurried ? HURRIED_WAIT_NANOS : random.nextLong(LEAST_WAIT_NANOS, MOST_WAIT_NANOS));
        baton.write(COUNTER, seen + 1);
        baton.write(RELEASED_AT, System.nanoTime());
    }

    private void awaitBaton(Signals signals, int number, long value) {
        while (baton.read(number) != value && signals.phase() != Phase.OVER) {
            LockSupport.parkNanos(hurried ? HURRIED_LOOK_NANOS : LOOK_NANOS);
        }
    }

    /** Not zero, which is nobody. */
    private static long name(int side) {
        return side + 1L;
    }

    /** How many updates the runners of a baton have made. */
    static long counted(Counters baton) {
        return baton.read(COUNTER);
    }

    @Override
    public Tally tally() {
        return new Tally(counted, all, all, handOffs, new Histogram(3), 1);
    }
}
