package dev.interlock.testkit;

import dev.interlock.spi.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A clock that moves only when a test moves it. Several Interlocks may share one.
 *
 * <pre>{@code
 * FakeClock clock = new FakeClock();
 * Interlock interlock = Interlock.builder(InMemoryBackend.create(clock::worldNanos, 1)).environment(clock).build();
 * Lease lease = interlock.locks().with(key).renew(false).leaseFor(ofSeconds(10)).acquire();
 * clock.advance(ofSeconds(11));      // the lease is lost now, and its callbacks have run
 * }</pre>
 *
 * <p>Invariants: {@link #nanos()} never goes back. {@link #advance} stops at every moment that an alarm requested, in
 * order, so everything that is due in between happens at its own time. The same seed gives the same random numbers.
 *
 * <p>The clock has no threads. Alarms ring on the thread that advances, and tasks run on the thread that submits them,
 * so a callback must not wait for the test that moves the clock. While a thread blocks in {@code acquire}, another
 * thread must advance the clock. Thread-safe.
 *
 * @since 0.1.0
 */
public final class FakeClock implements Environment {
    /** More rings without time moving mean that an alarm would ring forever. */
    private static final int MAX_RINGS_AT_ONE_MOMENT = 100_000;

    /** Not zero, to expose code that takes zero for "never". */
    private static final long START_NANOS = Duration.ofDays(1).toNanos();

    private static final Instant START_WALL = Instant.parse("2026-01-01T00:00:00Z");

    /** One reading of the clock. {@code nanos} does not include suspended time that was not noticed yet. */
    private record Moment(long nanos, long noticed, long unnoticed) {
        long world() {
            return nanos + unnoticed;
        }
    }

    private final ReentrantLock setting = new ReentrantLock();
    private volatile Moment now = new Moment(START_NANOS, 0, 0);
    private final ReentrantLock stepping = new ReentrantLock();
    private final List<AlarmEntry> alarms = new CopyOnWriteArrayList<>();
    private final Random random;
    private volatile @Nullable Runnable afterStep;

    /** Guarded by {@code stepping}. */
    private int ringsAtThisMoment;

    /** Creates a clock whose random numbers come from seed 1. */
    public FakeClock() {
        this(1);
    }

    /** Creates a clock whose random numbers come from this seed. */
    public FakeClock(long seed) {
        this.random = new Random(seed);
    }

    /**
     * Moves time on, step by step. Everything that is due on the way happens at its own moment, on this thread.
     *
     * @param by how far; zero runs what is due now
     */
    public void advance(Duration by) {
        long nanos = checked(by).toNanos();
        Runnable then = afterStep;
        if (then != null) {
            // Not locked across the steps: the action after a step may advance the clock on another thread.
            advance(nanos, then);
            return;
        }
        stepping.lock();
        try {
            advance(nanos, () -> {});
        } finally {
            stepping.unlock();
        }
    }

    private void advance(long nanos, Runnable then) {
        then.run();
        Moment start = now;
        // A suspension that is noticed on the way is added: the host was suspended and then ran for the given time.
        LongSupplier target = () -> Math.addExact(start.nanos(), nanos) + now.noticed() - start.noticed();
        while (step(target.getAsLong())) {
            then.run();
        }
        moveTo(target.getAsLong());
    }

    /**
     * Runs what is due now. If nothing is, moves to the next moment that an alarm requested and runs what is due then.
     *
     * @return false, without any effect, if nothing is due now and the next moment is after the limit or there is none
     */
    boolean step(long notAfterNanos) {
        stepping.lock();
        try {
            // A step of its own: an alarm that was queried may have done something, which must be examined before time
            // moves on.
            if (queryAlarms()) {
                countRing(false);
                return true;
            }
            long due = nextDue();
            if (due == Long.MAX_VALUE || due > notAfterNanos) {
                return false;
            }
            countRing(moveTo(due));
            ringDueAlarms();
            return true;
        } finally {
            stepping.unlock();
        }
    }

    private void countRing(boolean moved) {
        ringsAtThisMoment = moved ? 0 : ringsAtThisMoment + 1;
        if (ringsAtThisMoment > MAX_RINGS_AT_ONE_MOMENT) {
            throw new IllegalStateException("An alarm keeps asking for the same moment, so time cannot move on");
        }
    }

    /**
     * Sets the action that runs after each step of {@link #advance}, on the same thread, after everything due has run.
     */
    void afterEachStep(Runnable action) {
        afterStep = action;
    }

    /** Returns whether this thread is inside a step. */
    boolean isStepping() {
        return stepping.isHeldByCurrentThread();
    }

    /**
     * Suspends the host. The rest of the world continues, while {@link #nanos()} stands still until
     * {@link #noticeSuspend()} detects the suspension. No alarm rings in that time.
     */
    public void suspend(Duration length) {
        long nanos = checked(length).toNanos();
        set(m -> new Moment(m.nanos(), m.noticed(), Math.addExact(m.unnoticed(), nanos)));
    }

    /**
     * The time outside this host, which also passes while the host is suspended. A store uses this time. Pass it to
     * {@link dev.interlock.memory.InMemoryBackend#create(LongSupplier, long)}.
     */
    public long worldNanos() {
        return now.world();
    }

    @Override
    public long nanos() {
        return now.nanos();
    }

    @Override
    public long noticeSuspend() {
        if (now.unnoticed() == 0) {
            return now.noticed();
        }
        set(m -> new Moment(m.world(), m.noticed() + m.unnoticed(), 0));
        return now.noticed();
    }

    @Override
    public Instant wall() {
        return START_WALL.plusNanos(worldNanos() - START_NANOS);
    }

    /** Thread-safe. A run is repeatable only if its threads ask in the same order. */
    @Override
    public RandomGenerator random() {
        return random;
    }

    /**
     * The alarm rings during {@link #advance}. If it asks for an earlier moment, that takes effect at the next advance.
     */
    @Override
    public void drive(Alarm alarm) {
        AlarmEntry entry = new AlarmEntry(alarm);
        alarm.onEarlier(entry::requestQuery);
        alarms.add(entry);
    }

    /** Runs tasks at once, one at a time. A task submitted while another one runs starts after it. */
    @Override
    public Executor serial(String name) {
        return new SerialTrampoline();
    }

    /** Runs tasks at once on the calling thread. A task submitted by a running task starts after it. */
    @Override
    public Executor pool(String name, int threads) {
        return new ThreadTrampoline();
    }

    /** Does nothing: other users may share this clock, and a closed Interlock asks for no more moments. */
    @Override
    public void close() {}

    @Override
    public String toString() {
        return "FakeClock at " + wall();
    }

    private boolean queryAlarms() {
        boolean any = false;
        for (AlarmEntry entry : alarms) {
            if (entry.queryNeeded) {
                entry.ring(nanos());
                any = true;
            }
        }
        return any;
    }

    private long nextDue() {
        long next = Long.MAX_VALUE;
        for (AlarmEntry entry : alarms) {
            next = Math.min(next, entry.due(nanos()));
        }
        return next;
    }

    private void ringDueAlarms() {
        for (AlarmEntry entry : alarms) {
            if (entry.due(nanos()) <= nanos()) {
                entry.ring(nanos());
            }
        }
    }

    /** Returns whether time moved. A moment in the past leaves the clock where it is. */
    private boolean moveTo(long nanos) {
        long before = nanos();
        set(m -> m.nanos() >= nanos ? m : new Moment(nanos, m.noticed(), m.unnoticed()));
        return before < nanos;
    }

    private void set(UnaryOperator<Moment> change) {
        setting.lock();
        try {
            now = change.apply(now);
        } finally {
            setting.unlock();
        }
    }

    static Duration checked(Duration length) {
        Objects.requireNonNull(length, "length is null: pass a Duration");
        if (length.isNegative()) {
            throw new IllegalArgumentException("Time cannot move by " + length + ": it never goes back");
        }
        return length;
    }

    /** One alarm and when it next rings. Only the thread that advances rings it. */
    private static final class AlarmEntry {
        private final Alarm alarm;
        private volatile boolean queryNeeded = true;
        private long due = Long.MAX_VALUE;

        AlarmEntry(Alarm alarm) {
            this.alarm = alarm;
        }

        /** Called from any thread, with any locks held, so it only sets a flag. */
        void requestQuery() {
            queryNeeded = true;
        }

        long due(long nowNanos) {
            if (queryNeeded) {
                ring(nowNanos);
            }
            return due;
        }

        void ring(long nowNanos) {
            // Clear the flag first, so that a flag set while the alarm rings is not lost.
            queryNeeded = false;
            due = alarm.ring(nowNanos);
        }
    }
}
