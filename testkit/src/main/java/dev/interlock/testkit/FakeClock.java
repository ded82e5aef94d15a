package dev.interlock.testkit;

import dev.interlock.spi.Surroundings;
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
 * Time that moves only when a test says so; several Interlocks may share one.
 *
 * <pre>{@code
 * FakeClock clock = new FakeClock();
 * Interlock interlock = Interlock.builder(InMemoryBackend.create(clock::worldNanos, 1)).surroundings(clock).build();
 * Lease lease = interlock.locks().with(key).renew(false).leaseFor(ofSeconds(10)).acquire();
 * clock.advance(ofSeconds(11));      // the lease is lost now, and its callbacks have run
 * }</pre>
 *
 * <p>Invariants: {@link #nanos()} never goes back; {@link #advance} stops at every moment that an alarm asked for, in order,
 * so what is due in between happens at its own time; the same seed gives the same random numbers.
 *
 * <p>It has no threads. Alarms ring on the thread that advances, and tasks run on the thread that hands them over, so a
 * callback must not wait for the test that moves the clock. A thread that blocks in {@code acquire} needs another one that
 * advances. Thread-safe.
 */
public final class FakeClock implements Surroundings {
    /** An alarm that rings so often without time moving on would ring for ever. */
    private static final int MAX_RINGS_AT_ONE_MOMENT = 100_000;

    /** Not zero, so that code which takes zero for "never" is found out. */
    private static final long START_NANOS = Duration.ofDays(1).toNanos();

    private static final Instant START_WALL = Instant.parse("2026-01-01T00:00:00Z");

    /** One reading of the clock; suspended time that was not noticed yet is not part of {@code nanos}. */
    private record Moment(long nanos, long noticed, long unnoticed) {
        long world() {
            return nanos + unnoticed;
        }
    }

    private final ReentrantLock setting = new ReentrantLock();
    private volatile Moment now = new Moment(START_NANOS, 0, 0);
    private final ReentrantLock stepping = new ReentrantLock();
    private final List<Bell> bells = new CopyOnWriteArrayList<>();
    private final Random random;
    private volatile @Nullable Runnable afterStep;

    /** Guarded by {@code stepping}. */
    private int ringsAtThisMoment;

    /** A clock whose random numbers come from seed 1. */
    public FakeClock() {
        this(1);
    }

    /** A clock whose random numbers come from this seed. */
    public FakeClock(long seed) {
        this.random = new Random(seed);
    }

    /**
     * Moves time on, step by step: whatever is due on the way happens at its moment, on this thread.
     *
     * @param by how far; zero lets happen what is due now
     */
    public void advance(Duration by) {
        long nanos = checked(by).toNanos();
        Runnable then = afterStep;
        if (then != null) {
            // Not locked across the steps: what runs after one may advance on another thread.
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
        // A suspension that is noticed on the way comes on top: the host slept and then ran for the time given.
        LongSupplier target = () -> Math.addExact(start.nanos(), nanos) + now.noticed() - start.noticed();
        while (step(target.getAsLong())) {
            then.run();
        }
        moveTo(target.getAsLong());
    }

    /**
     * Lets happen what is due now, or else goes to the next moment that an alarm has asked for and lets happen what is due then.
     *
     * @return false if there was nothing now and that moment is later than the given one, or never; then nothing was done
     */
    boolean step(long notAfterNanos) {
        stepping.lock();
        try {
            // On its own: an alarm that is asked may have done something, and then time must not move on before it is
            // looked at.
            if (askWhoWantsIt()) {
                countRing(false);
                return true;
            }
            long due = nextDue();
            if (due == Long.MAX_VALUE || due > notAfterNanos) {
                return false;
            }
            countRing(moveTo(due));
            ringWhatIsDue();
            return true;
        } finally {
            stepping.unlock();
        }
    }

    private void countRing(boolean moved) {
        ringsAtThisMoment = moved ? 0 : ringsAtThisMoment + 1;
        if (ringsAtThisMoment > MAX_RINGS_AT_ONE_MOMENT) {
            throw new IllegalStateException(
                    "An alarm asks for the same moment again and again, so time cannot move on");
        }
    }

    /** Sets what to do after each step of {@link #advance}, on the same thread, once what was due has happened. */
    void afterEachStep(Runnable action) {
        afterStep = action;
    }

    /** Whether this thread is inside a step, so that what it does is part of what was due. */
    boolean isStepping() {
        return stepping.isHeldByCurrentThread();
    }

    /**
     * The host sleeps: the rest of the world goes on, while {@link #nanos()} stands still until {@link #noticeSuspend()}
     * finds out. Nothing rings meanwhile.
     */
    public void suspend(Duration length) {
        long nanos = checked(length).toNanos();
        set(m -> new Moment(m.nanos(), m.noticed(), Math.addExact(m.unnoticed(), nanos)));
    }

    /**
     * Time outside this host, which also passes while it is suspended; what a store counts by. The clock to give to
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

    /** Thread-safe; a run repeats only as far as its threads ask in the same order. */
    @Override
    public RandomGenerator random() {
        return random;
    }

    /** Rings from {@link #advance}; also when an earlier moment was asked for, at the next advance. */
    @Override
    public void drive(Alarm alarm) {
        Bell bell = new Bell(alarm);
        alarm.onEarlier(bell::askAgain);
        bells.add(bell);
    }

    /** Runs tasks at once, one at a time; one that is handed over while another runs is run after it. */
    @Override
    public Executor serial(String name) {
        return new SerialTrampoline();
    }

    /** Runs tasks at once on the calling thread; one that a task hands over is run after that task. */
    @Override
    public Executor pool(String name, int threads) {
        return new ThreadTrampoline();
    }

    /** Does nothing: others may share this clock, and an Interlock that was closed asks for no more moments. */
    @Override
    public void close() {}

    @Override
    public String toString() {
        return "FakeClock at " + wall();
    }

    private boolean askWhoWantsIt() {
        boolean any = false;
        for (Bell bell : bells) {
            if (bell.askAgain) {
                bell.ring(nanos());
                any = true;
            }
        }
        return any;
    }

    private long nextDue() {
        long next = Long.MAX_VALUE;
        for (Bell bell : bells) {
            next = Math.min(next, bell.due(nanos()));
        }
        return next;
    }

    private void ringWhatIsDue() {
        for (Bell bell : bells) {
            if (bell.due(nanos()) <= nanos()) {
                bell.ring(nanos());
            }
        }
    }

    /** Whether time moved; a moment that has passed already leaves it where it is. */
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
        Objects.requireNonNull(length, "length is null: give a Duration");
        if (length.isNegative()) {
            throw new IllegalArgumentException("Time cannot move by " + length + ": it never goes back");
        }
        return length;
    }

    /** One alarm and when it wants to ring; only the thread that advances rings it. */
    private static final class Bell {
        private final Alarm alarm;
        private volatile boolean askAgain = true;
        private long due = Long.MAX_VALUE;

        Bell(Alarm alarm) {
            this.alarm = alarm;
        }

        /** Called from any thread, with any locks held: so it only leaves a mark. */
        void askAgain() {
            askAgain = true;
        }

        long due(long nowNanos) {
            if (askAgain) {
                ring(nowNanos);
            }
            return due;
        }

        void ring(long nowNanos) {
            // The mark goes first: one that is left while the alarm rings must not be lost.
            askAgain = false;
            due = alarm.ring(nowNanos);
        }
    }
}
