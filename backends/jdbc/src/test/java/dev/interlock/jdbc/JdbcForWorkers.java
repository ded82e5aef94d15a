package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.workers.WorkerBackend;

/** Tells worker processes how to connect; the address is a JDBC URL. Public, because they find it by its name. */
public final class JdbcForWorkers implements WorkerBackend {
    private static final int TRIES = 10;
    private static final int POOL = 8;
    private static final int KEPT = 2;

    @Override
    public Backend connect(String address, String namespace) {
        return patiently(Pools.of(address, POOL), namespace);
    }

    /** A JVM that has just started may need longer for its first connection than a connection may take. */
    static Backend patiently(HikariDataSource pool, String namespace) {
        JdbcBackend.Builder builder =
                JdbcBackend.builder(pool).namespace(namespace).keepConnections(KEPT);
        for (int i = 1; i < TRIES; i++) {
            try {
                return new PooledBackend(builder.build(), pool);
            } catch (StoreUnavailableException e) {
                // Once more: by now the driver is loaded.
            }
        }
        return new PooledBackend(builder.build(), pool);
    }
}
