package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.workers.WorkerBackend;

/** Connects worker processes; the address is a JDBC URL. Public, because workers load it by name. */
public final class JdbcForWorkers implements WorkerBackend {
    private static final int TRIES = 10;
    private static final int POOL = 8;
    private static final int WARM = 2;

    @Override
    public Backend connect(String address, String namespace) {
        return patiently(Pools.of(address, POOL), namespace);
    }

    /** The first connection of a new JVM may take longer than the limit. */
    static Backend patiently(HikariDataSource pool, String namespace) {
        JdbcBackend.Builder builder =
                JdbcBackend.builder(pool).namespace(namespace).keepConnections(WARM);
        for (int i = 1; i < TRIES; i++) {
            try {
                return new PooledBackend(builder.build(), pool);
            } catch (StoreUnavailableException e) {
                // Retry: the driver is loaded now.
            }
        }
        return new PooledBackend(builder.build(), pool);
    }
}
