package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.function.Consumer;

/** Connection pools like those of applications. */
final class Pools {
    private Pools() {}

    static HikariDataSource of(String url, int size) {
        return of(url, size, config -> {});
    }

    /** With options that must be set before the pool opens. */
    static HikariDataSource of(String url, int size, Consumer<HikariConfig> options) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(5_000);
        options.accept(config);
        return new HikariDataSource(config);
    }

    /** Settings that some applications change and expect to find unchanged. */
    static HikariDataSource peculiar(String url, int size) {
        return of(url, size, config -> {
            config.setAutoCommit(false);
            config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        });
    }
}
