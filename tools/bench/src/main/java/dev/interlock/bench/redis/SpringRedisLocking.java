package dev.interlock.bench.redis;

import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.SequentialGuard;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The lock registry of Spring Integration with its default settings. Held locks use a registry with a scheduler that
 * renews them.
 *
 * <p>By default a registry has 256 local locks, which names share. A thread that holds two names with the same local
 * lock releases only the second. Workloads with several locks therefore use a registry
 * that is large enough to make this rare.
 */
final class SpringRedisLocking implements Locking {
    /** Each renewal is a separate call. The default of one thread would be too slow for ten thousand of them. */
    private static final int RENEWING_THREADS = 4;

    private static final int LOCAL_LOCKS = 1 << 16;

    private final RedisLockRegistry registry;
    private final RedisLockRegistry several;
    private final RedisLockRegistry renewed;
    private final String severalPrefix;
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    private final ExecutorService holder = Executors.newSingleThreadExecutor();

    private SpringRedisLocking(
            LettuceConnectionFactory connections, String prefix, Duration lease, RedisLockType type) {
        this.registry = new RedisLockRegistry(connections, prefix, lease);
        registry.setRedisLockType(type);
        this.severalPrefix = prefix + "-several";
        this.several = new RedisLockRegistry(connections, severalPrefix, lease);
        several.setRedisLockType(type);
        several.setCacheCapacity(LOCAL_LOCKS);
        scheduler.setPoolSize(RENEWING_THREADS);
        scheduler.setDaemon(true);
        scheduler.initialize();
        this.renewed = new RedisLockRegistry(connections, prefix + "-renewed", lease);
        renewed.setCacheCapacity(LOCAL_LOCKS);
        renewed.setRenewalTaskScheduler(scheduler);
    }

    static SpringRedisLocking spinning(LettuceConnectionFactory connections, String prefix, Duration lease) {
        return new SpringRedisLocking(connections, prefix, lease, RedisLockType.SPIN_LOCK);
    }

    static SpringRedisLocking notified(LettuceConnectionFactory connections, String prefix, Duration lease) {
        return new SpringRedisLocking(connections, prefix, lease, RedisLockType.PUB_SUB_LOCK);
    }

    @Override
    public LockGuard guard(String name) {
        Lock lock = registry.obtain(name);
        return section -> {
            lock.lock();
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        };
    }

    /**
     * Acquires in the order of the local locks. Names can share a local lock, so in any other order two threads could
     * deadlock.
     */
    @Override
    public LockGuard guardAll(List<String> names) {
        Comparator<String> order =
                Comparator.comparingInt(name -> (severalPrefix + ':' + name).hashCode() & (LOCAL_LOCKS - 1));
        return new SequentialGuard(
                names.stream()
                        .sorted(order.thenComparing(Comparator.naturalOrder()))
                        .toList(),
                name -> {
                    Lock lock = several.obtain(name);
                    return () -> {
                        lock.lock();
                        return lock::unlock;
                    };
                });
    }

    /**
     * Holds all locks on one thread. Names share local locks in the registry, so threads that each hold many names
     * would wait for each other forever.
     */
    @Override
    public Runnable hold(String name) {
        Lock lock = renewed.obtain(name);
        CompletableFuture.runAsync(lock::lock, holder).join();
        return () -> CompletableFuture.runAsync(lock::unlock, holder).join();
    }

    @Override
    public void close() {
        holder.shutdownNow();
        registry.destroy();
        several.destroy();
        renewed.destroy();
        scheduler.destroy();
    }
}
