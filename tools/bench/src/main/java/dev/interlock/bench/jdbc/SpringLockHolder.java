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
 * A thread that acquires locks of a registry, renews them after a third of the lease and releases them. The registry
 * renews a lock only on the thread that acquired it, and does not schedule renewals.
 *
 * <p>If a renewal fails there is no further one, and the server reports the locks as missing. Thread-safe.
 */
final class SpringLockHolder implements AutoCloseable {
    private final JdbcLockRegistry registry;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "spring-holder");
        made.setDaemon(true);
        return made;
    });
    private final Future<?> renewal;

    /** Accessed by the thread only. */
    private final Map<String, Lock> held = new LinkedHashMap<>();

    /** The registry must not be shared. Threads that hold many of its names would wait for each other forever. */
    SpringLockHolder(JdbcLockRegistry registry, Duration lease) {
        this.registry = registry;
        long interval = lease.toMillis() / 3;
        this.renewal = thread.scheduleAtFixedRate(
                () -> held.keySet().forEach(registry::renewLock), interval, interval, TimeUnit.MILLISECONDS);
    }

    Runnable hold(String name) {
        CompletableFuture.runAsync(() -> acquire(name), thread).join();
        return () -> CompletableFuture.runAsync(() -> release(name), thread).join();
    }

    private void acquire(String name) {
        Lock lock = registry.obtain(name);
        lock.lock();
        held.put(name, lock);
    }

    private void release(String name) {
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
