package dev.interlock.bench.jdbc;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;

/**
 * A thread that takes locks of a registry, renews them at a third of the lease and gives them back. The registry renews only for the thread
 * that took a lock, and has no schedule of its own.
 *
 * <p>If a renewal fails there is no other, and the server finds the locks missing. Thread-safe.
 */
final class SpringHolder implements AutoCloseable {
    private final JdbcLockRegistry registry;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "spring-holder");
        made.setDaemon(true);
        return made;
    });
    private final Future<?> renewal;

    /** Used by the thread only. */
    private final Map<String, Lock> held = new LinkedHashMap<>();

    /** With a registry that nobody else uses: threads that hold many of its names would wait for each other's for ever. */
    SpringHolder(JdbcLockRegistry registry, Duration lease) {
        this.registry = registry;
        long interval = lease.toMillis() / 3;
        this.renewal = thread.scheduleAtFixedRate(
                () -> held.keySet().forEach(registry::renewLock), interval, interval, TimeUnit.MILLISECONDS);
    }

    Runnable hold(String name) {
        CompletableFuture.runAsync(() -> take(name), thread).join();
        return () -> CompletableFuture.runAsync(() -> giveBack(name), thread).join();
    }

    private void take(String name) {
        Lock lock = registry.obtain(name);
        lock.lock();
        held.put(name, lock);
    }

    private void giveBack(String name) {
        Lock lock = held.remove(name);
        if (lock != null) {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        renewal.cancel(true);
        thread.shutdownNow();
    }
}
