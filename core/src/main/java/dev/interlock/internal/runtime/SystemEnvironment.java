package dev.interlock.internal.runtime;

import dev.interlock.spi.Environment;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** The real environment: system clocks, daemon threads and a secure random source. */
public final class SystemEnvironment implements Environment {
    /** Interval of the check for a suspended host while an entry is due. */
    private static final long CHECK_NANOS = 1_000_000_000;

    private final BootClock boot = new BootClock();
    private final SecureRandom random = new SecureRandom();
    private final ConcurrentLinkedQueue<Thread> alarmThreads = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<ExecutorService> executors = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    @Override
    public long nanos() {
        return System.nanoTime() + boot.suspendedNanos();
    }

    @Override
    public long noticeSuspend() {
        return boot.notice();
    }

    @Override
    public Instant wall() {
        return Instant.now();
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public void drive(Alarm alarm) {
        Thread thread = new Thread(() -> ringUntilClosed(alarm), "interlock-deadlines");
        thread.setDaemon(true);
        alarm.onEarlier(() -> LockSupport.unpark(thread));
        alarmThreads.add(thread);
        thread.start();
    }

    private void ringUntilClosed(Alarm alarm) {
        while (!closed) {
            boot.notice();
            long next;
            try {
                next = alarm.ring(nanos());
            } catch (RuntimeException | Error bug) {
                System.getLogger("dev.interlock")
                        .log(System.Logger.Level.ERROR, "A deadline could not be handled", bug);
                next = nanos() + CHECK_NANOS;
            }
            if (closed) {
                return; // checked again: a lock inside ring() may have consumed the permit from close()
            }
            if (next == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                long wait = Math.min(CHECK_NANOS, next - nanos());
                if (wait > 0) {
                    LockSupport.parkNanos(this, wait);
                }
            }
        }
    }

    @Override
    public Executor serial(String name) {
        return pool(name, 1);
    }

    @Override
    public Executor pool(String name, int threads) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(threads, threads, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, name);
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        // After close, a task (the clean-up of a late answer) runs on the submitting thread instead of being rejected.
        pool.setRejectedExecutionHandler((work, executor) -> work.run());
        executors.add(pool);
        return pool;
    }

    @Override
    public void close() {
        closed = true;
        alarmThreads.forEach(LockSupport::unpark);
        executors.forEach(ExecutorService::shutdown);
        boot.close();
    }
}
