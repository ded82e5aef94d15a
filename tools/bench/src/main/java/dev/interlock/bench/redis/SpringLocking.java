package dev.interlock.bench.redis;

import dev.interlock.bench.Guard;
import dev.interlock.bench.Locking;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The lock registry of Spring Integration with its default settings; what is held has one with a scheduler that renews it. */
final class SpringLocking implements Locking {
    /** Each renewal is a call of its own; on the default of one thread ten thousand of them would come too late. */
    private static final int RENEWING_THREADS = 4;

    private final RedisLockRegistry registry;
    private final RedisLockRegistry renewed;
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    private final ExecutorService holder = Executors.newSingleThreadExecutor();

    private SpringLocking(LettuceConnectionFactory connections, String prefix, Duration lease, RedisLockType type) {
        this.registry = new RedisLockRegistry(connections, prefix, lease);
        registry.setRedisLockType(type);
        scheduler.setPoolSize(RENEWING_THREADS);
        scheduler.setDaemon(true);
        scheduler.initialize();
        this.renewed = new RedisLockRegistry(connections, prefix + "-renewed", lease);
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

    @Override
    public Guard guardAll(List<String> names) {
        throw new UnsupportedOperationException("The registry takes one lock at a time");
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
        renewed.destroy();
        scheduler.destroy();
    }
}
