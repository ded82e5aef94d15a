package dev.interlock.bench.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Connection pools as applications have them. All contenders use the same kind of pool. */
final class ConnectionPools {
    /**
     * The maximum of Interlock's own pool. With fewer connections, the other contenders would wait for a connection
     * instead of the database.
     */
    private static final int USUAL = 18;

    /**
     * For locks that occupy a connection: enough for a hundred threads. A thousand threads have to wait for one, as
     * they would in production.
     */
    private static final int FOR_EVERY_THREAD = 104;

    private ConnectionPools() {}

    /** A pool of the usual size. */
    static HikariDataSource usual(String url) {
        return open(url, USUAL, USUAL);
    }

    /** A pool with a connection for every thread, opened on demand. */
    static HikariDataSource forEveryThread(String url) {
        return open(url, FOR_EVERY_THREAD, 1);
    }

    private static HikariDataSource open(String url, int most, int idle) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(most);
        config.setMinimumIdle(idle);
        return new HikariDataSource(config);
    }
}
