package dev.interlock.testkit;

import dev.interlock.internal.time.Parking;
import dev.interlock.spi.Surroundings;
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
 * The time of one process on the {@link FakeClock} of its world; it can stand still while the world goes on.
 *
 * <p>Invariants: while the process stands, none of its alarms rings and none of its tasks runs; what became due meanwhile
 * is done late, not left out. A pause counts in {@link #nanos()}; a suspension of the host does so once it is noticed.
 *
 * <p>Waking rings nothing by itself: the code that was stopped goes on first, which is the worst case. Thread-safe.
 */
final class ProcessTime implements Surroundings, Parking {
    private final FakeClock world;
    private final Parking parking;
    private final ReentrantLock mutex = new ReentrantLock();
    private final List<Runnable> wakeUps = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> heldBack = new ConcurrentLinkedQueue<>();
    private volatile boolean standing;

    /** When the host fell asleep; null while it is awake. Guarded by {@code mutex}, like the next two. */
    private @Nullable Long asleepSince;

    private long unnoticed;
    private long noticed;

    ProcessTime(FakeClock world, Parking parking) {
        this.world = world;
        this.parking = parking;
    }

    /** The process is stopped: a long collection of garbage, a debugger, SIGSTOP. */
    void stop() {
        standing = true;
    }

    /** The host is suspended: the process is stopped and its clock as well. */
    void sleep() {
        mutex.lock();
        try {
            asleepSince = world.nanos();
        } finally {
            mutex.unlock();
        }
        stop();
    }

    /** It goes on. */
    void goOn() {
        mutex.lock();
        try {
            if (asleepSince != null) {
                unnoticed += world.nanos() - asleepSince;
                asleepSince = null;
            }
        } finally {
            mutex.unlock();
        }
        standing = false;
        for (Runnable task = heldBack.poll(); task != null; task = heldBack.poll()) {
            task.run();
        }
        askAlarms();
    }

    private void askAlarms() {
        wakeUps.forEach(Runnable::run);
    }

    @Override
    public long nanos() {
        mutex.lock();
        try {
            return (asleepSince == null ? world.nanos() : asleepSince) - unnoticed;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public long noticeSuspend() {
        long ofTheWorld = world.noticeSuspend();
        boolean news;
        long own;
        mutex.lock();
        try {
            news = unnoticed > 0;
            noticed += unnoticed;
            unnoticed = 0;
            own = noticed;
        } finally {
            mutex.unlock();
        }
        if (news) {
            askAlarms();
        }
        return ofTheWorld + own;
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
                if (standing) {
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
        return whenAwake(world.serial(name));
    }

    @Override
    public Executor pool(String name, int threads) {
        return whenAwake(world.pool(name, threads));
    }

    /** Keeps tasks while the process stands. */
    Executor whenAwake(Executor executor) {
        return task -> {
            if (standing) {
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
