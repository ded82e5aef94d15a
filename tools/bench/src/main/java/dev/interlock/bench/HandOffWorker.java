package dev.interlock.bench;

import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * One of two workers that pass a lock back and forth, each in its own process. Measures how long the hand-over takes.
 *
 * <pre>
 *   side 0  |== holds ==|release|        waits until side 1 has it, then requests it again
 *   side 1    requests ..........|== holds ==|release|
 *                       |&lt;------&gt;|  from the call of release until acquire has returned on the other side
 * </pre>
 *
 * <p>The holder releases only after the other side has been waiting for some milliseconds. The delay is random.
 * Otherwise a contender that polls would always be met at the same point of its pause. Both processes read the same
 * monotonic clock of the host.
 */
final class HandOffWorker implements BenchWorker {
    private static final int COUNTER = 0;
    private static final int HOLDER = 1;
    private static final int RELEASED_AT = 2;
    private static final int REQUESTED = 3;

    /** The value of {@link #REQUESTED} while a side requests the lock. */
    private static final long YES = 1;

    private static final long CHECK_NANOS = 500_000;
    private static final long FAST_CHECK_NANOS = 20_000;

    /**
     * Even then the other side must already be queued. A lock that is free when it is requested is a different case.
     */
    private static final long FAST_DELAY_NANOS = 400_000;

    private static final long MIN_DELAY_NANOS = 2_000_000;
    private static final long MAX_DELAY_NANOS = 5_000_000;

    private final LockGuard guard;
    private final Counters shared;
    private final int side;
    private final SplittableRandom random;
    private final Histogram handOffs = new Histogram(LoopWorker.MAX_NANOS, LoopWorker.DIGITS);
    private volatile boolean fast;
    private long counted;
    private long all;

    HandOffWorker(LockGuard guard, Counters shared, int side) {
        this.guard = guard;
        this.shared = shared;
        this.side = side;
        this.random = new SplittableRandom(side);
    }

    /** Whether to release soon after the other side has requested the lock. Warms up the JIT compiler in less time. */
    void passOnAtOnce(boolean on) {
        fast = on;
    }

    @Override
    public void work(Signals signals) {
        handOffs.reset();
        counted = 0;
        all = 0;
        while (signals.phase() != Phase.OVER) {
            shared.write(REQUESTED + side, YES);
            guard.run(() -> hold(signals));
            all++;
            signals.underWay();
            await(signals, HOLDER, name(1 - side));
        }
    }

    private void hold(Signals signals) {
        long now = System.nanoTime();
        shared.write(REQUESTED + side, 0);
        long seen = shared.read(COUNTER);
        if (signals.phase() == Phase.COUNTING && shared.read(HOLDER) == name(1 - side)) {
            handOffs.recordValue(Math.min(now - shared.read(RELEASED_AT), LoopWorker.MAX_NANOS));
            counted++;
        }
        shared.write(HOLDER, name(side));
        await(signals, REQUESTED + 1 - side, YES);
        LockSupport.parkNanos(fast ? FAST_DELAY_NANOS : random.nextLong(MIN_DELAY_NANOS, MAX_DELAY_NANOS));
        shared.write(COUNTER, seen + 1);
        shared.write(RELEASED_AT, System.nanoTime());
    }

    private void await(Signals signals, int number, long value) {
        while (shared.read(number) != value && signals.phase() != Phase.OVER) {
            LockSupport.parkNanos(fast ? FAST_CHECK_NANOS : CHECK_NANOS);
        }
    }

    /** Not zero, which stands for "no holder". */
    private static long name(int side) {
        return side + 1L;
    }

    /** The number of updates that both sides have made. */
    static long counted(Counters shared) {
        return shared.read(COUNTER);
    }

    @Override
    public ThreadTally tally() {
        return new ThreadTally(counted, all, all, handOffs, new Histogram(3), 1);
    }
}
