package dev.interlock.support;

import dev.interlock.spi.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Time that moves only in {@link #advance}, and executors that run each task on the thread that submits it.
 *
 * <p>Several engines can share one. A test can hold back the tasks of the executors with a given name. Hooks run
 * once, in the middle of a step of the engine: after a reading of the clock, or when an alarm is set to an earlier
 * moment.
 */
public final class ManualEnvironment implements Environment {
    private static final long START_NANOS = Duration.ofDays(1).toNanos();

    private final AtomicLong nanos = new AtomicLong(START_NANOS);
    private final AtomicLong unnoticed = new AtomicLong();
    private final AtomicLong noticed = new AtomicLong();
    private final List<Bell> bells = new CopyOnWriteArrayList<>();
    private final Map<String, List<Trampoline>> executors = new ConcurrentHashMap<>();
    private final Random random = new Random(1);
    private final AtomicReference<@Nullable Runnable> onWake = new AtomicReference<>();
    private final AtomicReference<@Nullable Runnable> onRead = new AtomicReference<>();
    private final AtomicInteger readsLeft = new AtomicInteger();

    /** Advances the time and rings every alarm that is due on the way. */
    public void advance(Duration by) {
        long target = nanos.get() + by.toNanos();
        for (long due = nextDue(); due <= target; due = nextDue()) {
            moveTo(due);
            bells.forEach(bell -> bell.ringIfDue(nanos.get()));
        }
        moveTo(target);
    }

    /** Advances the time without ringing alarms, as if the deadline thread were late. */
    public void advanceSilently(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    /** Suspends the host. {@link #noticeSuspend()} notices it. */
    public void suspend(Duration length) {
        unnoticed.addAndGet(length.toNanos());
    }

    /** The clock of the stores. */
    public long worldNanos() {
        return nanos.get() + unnoticed.get();
    }

    /** Runs the hook once, when an alarm is next set to an earlier moment. */
    public void onNextWake(Runnable hook) {
        onWake.set(hook);
    }

    /** Runs the hook once, right after the n-th reading of the clock from now. */
    public void afterReads(int n, Runnable hook) {
        readsLeft.set(n);
        onRead.set(hook);
    }

    /** Holds back the tasks of the executors with this name. */
    public void hold(String executor) {
        executors.get(executor).forEach(trampoline -> trampoline.held = true);
    }

    /** Runs the tasks that were held back. Later tasks run at once again. */
    public void letGo(String executor) {
        executors.get(executor).forEach(trampoline -> {
            trampoline.held = false;
            trampoline.drain();
        });
    }

    @Override
    public long nanos() {
        long now = nanos.get();
        if (onRead.get() != null && readsLeft.decrementAndGet() == 0) {
            runOnce(onRead);
        }
        return now;
    }

    @Override
    public long noticeSuspend() {
        long found = unnoticed.getAndSet(0);
        nanos.addAndGet(found);
        return noticed.addAndGet(found);
    }

    @Override
    public Instant wall() {
        return Instant.parse("2026-01-01T00:00:00Z").plusNanos(worldNanos() - START_NANOS);
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public void drive(Alarm alarm) {
        Bell bell = new Bell(alarm);
        alarm.onEarlier(() -> {
            bell.stale = true;
            runOnce(onWake);
        });
        bells.add(bell);
    }

    @Override
    public Executor serial(String name) {
        Trampoline trampoline = new Trampoline();
        executors.computeIfAbsent(name, unused -> new CopyOnWriteArrayList<>()).add(trampoline);
        return trampoline;
    }

    @Override
    public Executor pool(String name, int threads) {
        return serial(name);
    }

    @Override
    public void close() {}

    private static void runOnce(AtomicReference<@Nullable Runnable> hook) {
        Runnable once = hook.getAndSet(null);
        if (once != null) {
            once.run();
        }
    }

    private long nextDue() {
        return bells.stream().mapToLong(bell -> bell.due(nanos.get())).min().orElse(Long.MAX_VALUE);
    }

    private void moveTo(long target) {
        nanos.accumulateAndGet(target, Math::max);
    }

    private static final class Bell {
        private final Alarm alarm;
        volatile boolean stale = true;
        private long due;

        Bell(Alarm alarm) {
            this.alarm = alarm;
        }

        long due(long now) {
            if (stale) {
                ring(now);
            }
            return due;
        }

        void ringIfDue(long now) {
            if (due(now) <= now) {
                ring(now);
            }
        }

        private void ring(long now) {
            stale = false;
            due = alarm.ring(now);
        }
    }

    /** Runs one task at a time, never one inside another. */
    private static final class Trampoline implements Executor {
        private final ReentrantLock mutex = new ReentrantLock();
        private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        private boolean running;
        volatile boolean held;

        @Override
        public void execute(Runnable task) {
            mutex.lock();
            try {
                tasks.add(task);
            } finally {
                mutex.unlock();
            }
            drain();
        }

        void drain() {
            boolean mine = false;
            while (true) {
                Runnable next;
                mutex.lock();
                try {
                    next = held || (running && !mine) ? null : tasks.poll();
                    if (mine || next != null) {
                        mine = running = next != null;
                    }
                } finally {
                    mutex.unlock();
                }
                if (next == null) {
                    return;
                }
                run(next);
            }
        }

        private static void run(Runnable task) {
            try {
                task.run();
            } catch (RuntimeException | Error bug) {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, bug);
            }
        }
    }
}
