package dev.interlock.bench.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Connections as applications have them: the same kind of pool for everyone. */
final class Pools {
    /** As many as Interlock's own pool may open: with fewer, who is compared with it would wait for a connection instead of the database. */
    private static final int USUAL = 18;

    /** For locks that keep a connection: a hundred threads, and some. A thousand of them have to wait for one, here as in life. */
    private static final int FOR_EVERY_THREAD = 104;

    private Pools() {}

    /** A pool of the usual size. */
    static HikariDataSource usual(String url) {
        return open(url, USUAL, USUAL);
    }

    /** A pool that has a connection for every thread, opened when it is needed. */
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
