package dev.interlock.bench.jdbc;

import dev.interlock.bench.ServerMeter;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.testkit.servers.SqlServer;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A database server with the tables of all contenders, and a meter for it.
 *
 * <p>Commits do not wait for the disk. The wait would be the same for all contenders and would hide the differences.
 */
final class BenchDatabase implements AutoCloseable {
    /** Each contender has a connection pool in each of four processes. */
    private static final String MAX_CONNECTIONS = "900";

    private final SqlServer server;
    private final String url;
    private final StatementMeter meter;

    private BenchDatabase(SqlServer server, String url, StatementMeter meter) throws SQLException {
        this.server = server;
        this.url = url;
        this.meter = meter;
        DatabaseProduct.createTables(url);
    }

    /**
     * Starts a server.
     *
     * @throws IllegalStateException if no server is available; the message says what to do
     */
    static BenchDatabase start(DatabaseProduct product) {
        return switch (product) {
            case POSTGRESQL -> postgres();
            case MARIADB -> mariaDb();
        };
    }

    private static BenchDatabase postgres() {
        PostgresServer server = PostgresServer.own()
                .with("max_connections", MAX_CONNECTIONS)
                .with("synchronous_commit", "off")
                .with("shared_preload_libraries", "pg_stat_statements");
        return started(server, () -> {
            String url = server.freshDatabase();
            return new BenchDatabase(server, url, StatementMeter.of(server, url));
        });
    }

    private static BenchDatabase mariaDb() {
        MariaDbServer server = MariaDbServer.own()
                .with("max_connections", MAX_CONNECTIONS)
                .with("innodb_flush_log_at_trx_commit", "0");
        return started(server, () -> new BenchDatabase(server, server.freshDatabase(), StatementMeter.of(server)));
    }

    private interface Preparation {
        BenchDatabase prepared() throws SQLException;
    }

    private static BenchDatabase started(SqlServer server, Preparation preparation) {
        server.start();
        try {
            return preparation.prepared();
        } catch (SQLException | RuntimeException e) {
            server.close();
            throw new IllegalStateException("Could not prepare the database of the suite", e);
        }
    }

    String url() {
        return url;
    }

    ServerMeter meter() {
        return meter;
    }

    /** The product and its version. */
    String version() {
        try (Connection connection = DriverManager.getConnection(url)) {
            DatabaseMetaData facts = connection.getMetaData();
            return facts.getDatabaseProductName() + ' ' + facts.getDatabaseProductVersion();
        } catch (SQLException e) {
            throw new IllegalStateException("Could not read the version of the database", e);
        }
    }

    /**
     * Counts how many of these locks a contender holds. Counts by name, because leases of an earlier step may still be
     * valid.
     */
    long held(String contender, Set<String> names) {
        Set<String> keys = names.stream()
                .map(name -> JdbcContenderSet.keyOf(contender, name))
                .collect(Collectors.toSet());
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement statement =
                        connection.prepareStatement(DatabaseProduct.of(url).sql("held-" + contender));
                ResultSet rows = statement.executeQuery()) {
            long held = 0;
            while (rows.next()) {
                held += keys.contains(rows.getString(1)) ? 1 : 0;
            }
            return held;
        } catch (SQLException e) {
            throw new IllegalStateException("Could not read the held locks from the database", e);
        }
    }

    /** Fills the tables of all contenders with the rows that this many used locks leave behind. */
    void fillWithUsedLocks(int locks) {
        DatabaseProduct product = DatabaseProduct.of(url);
        try (Connection connection = DriverManager.getConnection(url)) {
            for (String sql : product.sql("used-locks").split(";", -1)) {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.setInt(1, locks);
                    statement.executeUpdate();
                }
            }
            product.count(url);
        } catch (SQLException e) {
            throw new IllegalStateException("Could not fill the tables", e);
        }
    }

    @Override
    public void close() {
        try {
            meter.close();
        } catch (SQLException e) {
            throw new IllegalStateException("Could not close the connection of the meter", e);
        } finally {
            server.close();
        }
    }
}
