package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.function.Consumer;

/** Pools as applications have them. */
final class Pools {
    private Pools() {}

    static HikariDataSource of(String url, int size) {
        return of(url, size, config -> {});
    }

    /** With options that a pool takes only before it is opened. */
    static HikariDataSource of(String url, int size, Consumer<HikariConfig> options) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(5_000);
        options.accept(config);
        return new HikariDataSource(config);
    }

    /** What some applications do to their connections, and expect to find again. */
    static HikariDataSource peculiar(String url, int size) {
        return of(url, size, config -> {
            config.setAutoCommit(false);
            config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        });
    }
}
