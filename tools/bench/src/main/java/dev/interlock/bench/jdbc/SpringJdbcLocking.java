package dev.interlock.bench.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.SequentialGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.util.UUIDConverter;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * The lock registry of Spring Integration, set up as its documentation recommends.
 *
 * <p>By default a registry has 256 local locks, which names share. A thread that holds two names with the same local
 * lock releases only the second. Workloads with several locks therefore use a registry
 * that is large enough to make this rare.
 */
final class SpringJdbcLocking implements Locking {
    /** Each renewal is a separate transaction. One thread would be too slow for ten thousand of them. */
    private static final int HOLDERS = 4;

    private static final int LOCAL_LOCKS = 1 << 16;

    private final HikariDataSource pool;
    private final DefaultLockRepository repository;
    private final Duration lease;
    private final JdbcLockRegistry registry;
    private final JdbcLockRegistry several;

    /** Created when the first lock is held. Guarded by the mutex. */
    private final ReentrantLock mutex = new ReentrantLock();

    private final List<SpringLockHolder> holders = new ArrayList<>();

    SpringJdbcLocking(String url, Duration lease) {
        this.pool = ConnectionPools.usual(url);
        this.lease = lease;
        this.repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.afterPropertiesSet();
        if (DatabaseProduct.of(url) == DatabaseProduct.POSTGRESQL) {
            // Recommended by its documentation. Without it, every attempt on a busy lock is an error in the server's
            // log.
            repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
        }
        repository.afterSingletonsInstantiated();
        repository.start();
        this.registry = new JdbcLockRegistry(repository, lease);
        this.several = withManyLocalLocks();
    }

    private JdbcLockRegistry withManyLocalLocks() {
        JdbcLockRegistry made = new JdbcLockRegistry(repository, lease);
        made.setCacheCapacity(LOCAL_LOCKS);
        return made;
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
        Comparator<String> order = Comparator.comparingInt(name -> keyOf(name).hashCode() & (LOCAL_LOCKS - 1));
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

    /** The key of this name in the table. */
    static String keyOf(String name) {
        return UUIDConverter.getUUID(name).toString();
    }

    @Override
    public Runnable hold(String name) {
        return holderOf(name).hold(name);
    }

    private SpringLockHolder holderOf(String name) {
        mutex.lock();
        try {
            while (holders.size() < HOLDERS) {
                holders.add(new SpringLockHolder(withManyLocalLocks(), lease));
            }
            return holders.get(Math.floorMod(name.hashCode(), HOLDERS));
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        mutex.lock();
        try {
            holders.forEach(SpringLockHolder::close);
        } finally {
            mutex.unlock();
        }
        repository.stop();
        pool.close();
    }
}
