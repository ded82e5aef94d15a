package dev.interlock.bench.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.bench.Guard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.OneByOne;
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
 * The lock registry of Spring Integration as its documentation sets it up.
 *
 * <p>By default a registry has 256 local locks, which names share. One thread that holds two names of the same local lock gives back only
 * the second, so who takes several has a registry with so many that this is rare.
 */
final class SpringLocking implements Locking {
    /** Each renewal is a transaction of its own; by one thread ten thousand of them would come too late. */
    private static final int HOLDERS = 4;

    private static final int LOCAL_LOCKS = 1 << 16;

    private final HikariDataSource pool;
    private final DefaultLockRepository repository;
    private final Duration lease;
    private final JdbcLockRegistry registry;
    private final JdbcLockRegistry several;

    /** Made when the first lock is held; guarded by itself. */
    private final ReentrantLock mutex = new ReentrantLock();

    private final List<SpringHolder> holders = new ArrayList<>();

    SpringLocking(String url, Duration lease) {
        this.pool = Pools.usual(url);
        this.lease = lease;
        this.repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.afterPropertiesSet();
        if (Product.of(url) == Product.POSTGRESQL) {
            // From its documentation: otherwise a lock that is busy is an error in the server's log each time.
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
        Comparator<String> order = Comparator.comparingInt(name -> keyOf(name).hashCode() & (LOCAL_LOCKS - 1));
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

    /** What stands in the table for a name. */
    static String keyOf(String name) {
        return UUIDConverter.getUUID(name).toString();
    }

    @Override
    public Runnable hold(String name) {
        return holderOf(name).hold(name);
    }

    private SpringHolder holderOf(String name) {
        mutex.lock();
        try {
            while (holders.size() < HOLDERS) {
                holders.add(new SpringHolder(withManyLocalLocks(), lease));
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
            holders.forEach(SpringHolder::close);
        } finally {
            mutex.unlock();
        }
        repository.stop();
        pool.close();
    }
}
