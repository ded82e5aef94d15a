package dev.interlock.bench.redis;

import dev.interlock.bench.Guard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.OneByOne;
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
 * The lock registry of Spring Integration with its default settings; what is held has one with a scheduler that renews it.
 *
 * <p>By default a registry has 256 local locks, which names share. One thread that holds two names of the same local lock gives back only
 * the second, so who takes several has a registry with so many that this is rare.
 */
final class SpringLocking implements Locking {
    /** Each renewal is a call of its own; on the default of one thread ten thousand of them would come too late. */
    private static final int RENEWING_THREADS = 4;

    private static final int LOCAL_LOCKS = 1 << 16;

    private final RedisLockRegistry registry;
    private final RedisLockRegistry several;
    private final RedisLockRegistry renewed;
    private final String severalPrefix;
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    private final ExecutorService holder = Executors.newSingleThreadExecutor();

    private SpringLocking(LettuceConnectionFactory connections, String prefix, Duration lease, RedisLockType type) {
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

    static SpringLocking spinning(LettuceConnectionFactory connections, String prefix, Duration lease) {
        return new SpringLocking(connections, prefix, lease, RedisLockType.SPIN_LOCK);
    }

    static SpringLocking notified(LettuceConnectionFactory connections, String prefix, Duration lease) {
        return new SpringLocking(connections, prefix, lease, RedisLockType.PUB_SUB_LOCK);
    }

    @Override
    public Guard guard(String name) {
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

    /** In the order of the local locks: where two names share one, in any other order two threads could wait for each other for ever. */
    @Override
    public Guard guardAll(List<String> names) {
        Comparator<String> order =
                Comparator.comparingInt(name -> (severalPrefix + ':' + name).hashCode() & (LOCAL_LOCKS - 1));
        return new OneByOne(
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
     * On one thread for all: names share local locks in the registry, and threads that hold many names would wait for each
     * other's for ever.
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
