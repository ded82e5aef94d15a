package dev.interlock.testkit;

import dev.interlock.internal.runtime.Parking;
import dev.interlock.spi.Environment;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The time of one process on the {@link FakeClock} of its world. A process can be stopped while the world continues.
 *
 * <p>Invariants: while the process is stopped, none of its alarms rings and none of its tasks runs. Whatever became due
 * in that time runs late; nothing is skipped. A pause counts in {@link #nanos()}. A suspension of the host counts once
 * it is noticed.
 *
 * <p>Resuming rings no alarm. The stopped code continues first, which is the worst case. Thread-safe.
 */
final class ProcessTime implements Environment, Parking {
    private final FakeClock world;
    private final Parking parking;
    private final ReentrantLock mutex = new ReentrantLock();
    private final List<Runnable> wakeUps = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> heldBack = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    /** When the host was suspended, or null if it runs. Guarded by {@code mutex}, like the next two fields. */
    private @Nullable Long suspendedSince;

    private long unnoticed;
    private long noticed;

    ProcessTime(FakeClock world, Parking parking) {
        this.world = world;
        this.parking = parking;
    }

    /** Stops the process, like a long garbage collection, a debugger or SIGSTOP. */
    void stop() {
        stopped = true;
    }

    /** Suspends the host: stops the process and its clock. */
    void suspend() {
        mutex.lock();
        try {
            suspendedSince = world.nanos();
        } finally {
            mutex.unlock();
        }
        stop();
    }

    /** Resumes the process. */
    void resume() {
        mutex.lock();
        try {
            if (suspendedSince != null) {
                unnoticed += world.nanos() - suspendedSince;
                suspendedSince = null;
            }
        } finally {
            mutex.unlock();
        }
        stopped = false;
        for (Runnable task = heldBack.poll(); task != null; task = heldBack.poll()) {
            task.run();
        }
        requeryAlarms();
    }

    private void requeryAlarms() {
        wakeUps.forEach(Runnable::run);
    }

    @Override
    public long nanos() {
        mutex.lock();
        try {
            return (suspendedSince == null ? world.nanos() : suspendedSince) - unnoticed;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public long noticeSuspend() {
        long ofWorld = world.noticeSuspend();
        boolean newlyNoticed;
        long own;
        mutex.lock();
        try {
            newlyNoticed = unnoticed > 0;
            noticed += unnoticed;
            unnoticed = 0;
            own = noticed;
        } finally {
            mutex.unlock();
        }
        if (newlyNoticed) {
            requeryAlarms();
        }
        return ofWorld + own;
    }

    @Override
    public Instant wall() {
        return world.wall();
    }

    @Override
    public RandomGenerator random() {
        return world.random();
    }

    @Override
    public void drive(Alarm alarm) {
        world.drive(new Alarm() {
            @Override
            public long ring(long worldNanos) {
                if (stopped) {
                    return Long.MAX_VALUE;
                }
                long next = alarm.ring(nanos());
                return next == Long.MAX_VALUE ? next : next + world.nanos() - nanos();
            }

            @Override
            public void onEarlier(Runnable wakeUp) {
                wakeUps.add(wakeUp);
                alarm.onEarlier(wakeUp);
            }
        });
    }

    @Override
    public Executor serial(String name) {
        return whenRunning(world.serial(name));
    }

    @Override
    public Executor pool(String name, int threads) {
        return whenRunning(world.pool(name, threads));
    }

    /** Returns an executor that holds tasks back while the process is stopped. */
    Executor whenRunning(Executor executor) {
        return task -> {
            if (stopped) {
                heldBack.add(() -> executor.execute(task));
            } else {
                executor.execute(task);
            }
        };
    }

    @Override
    public void park(Object blocker) {
        parking.park(blocker);
    }

    @Override
    public void unpark(@Nullable Thread thread) {
        parking.unpark(thread);
    }

    @Override
    public void close() {}
}
