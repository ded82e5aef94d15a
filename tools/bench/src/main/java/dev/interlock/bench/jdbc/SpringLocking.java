package dev.interlock.bench.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.bench.Guard;
import dev.interlock.bench.Locking;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** The lock registry of Spring Integration as its documentation sets it up. */
final class SpringLocking implements Locking {
    private final HikariDataSource pool;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    SpringLocking(String url, Duration lease) {
        this.pool = Pools.usual(url);
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

    /** Not one by one either: names share local locks in the registry, so that threads with several wait for each other for ever. */
    @Override
    public Guard guardAll(List<String> names) {
        throw new UnsupportedOperationException("The registry takes one lock at a time");
    }

    @Override
    public Runnable hold(String name) {
        throw new UnsupportedOperationException("The registry does not renew by itself");
    }

    @Override
    public void close() {
        repository.stop();
        pool.close();
    }
}
