package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;

/** A backend that closes its pool with itself. */
record PooledBackend(JdbcBackend inner, HikariDataSource pool) implements Backend {
    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public StoreCapabilities capabilities() {
        return inner.capabilities();
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        return inner.openLocks(context);
    }

    @Override
    public void close() {
        inner.close();
        pool.close();
    }
}
