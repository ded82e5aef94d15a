package dev.interlock.testkit;

import dev.interlock.spi.Environment;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** Real time and daemon threads, for stores that the kit opens without an engine. Does not detect suspensions. */
final class RealEnvironment implements Environment {
    private final Queue<ExecutorService> executors = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long noticeSuspend() {
        return 0;
    }

    @Override
    public Instant wall() {
        return Instant.now();
    }

    @Override
    public RandomGenerator random() {
        return ThreadLocalRandom.current();
    }

    @Override
    public void drive(Alarm alarm) {
        Thread thread = daemon("tck-alarm", () -> {
            while (!closed) {
                long next = alarm.ring(nanos());
                LockSupport.parkNanos(this, Math.min(next - nanos(), TimeUnit.MILLISECONDS.toNanos(100)));
            }
        });
        alarm.onEarlier(() -> LockSupport.unpark(thread));
        thread.start();
    }

    @Override
    public Executor serial(String name) {
        return pool(name, 1);
    }

    @Override
    public Executor pool(String name, int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> daemon(name, task));
        pool.allowCoreThreadTimeOut(true);
        executors.add(pool);
        return pool;
    }

    @Override
    public void close() {
        closed = true;
        executors.forEach(ExecutorService::shutdown);
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
