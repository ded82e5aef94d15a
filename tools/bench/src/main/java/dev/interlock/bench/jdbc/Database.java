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
 * A server of its own with everyone's tables, and a meter for it.
 *
 * <p>It does not wait for the disk when it commits. Everyone would wait for it equally, and what is compared would be the disk with itself.
 */
final class Database implements AutoCloseable {
    /** Everyone keeps a pool open in each of four processes. */
    private static final String MOST_CONNECTIONS = "900";

    private final SqlServer server;
    private final String url;
    private final StatementMeter meter;

    private Database(SqlServer server, String url, StatementMeter meter) throws SQLException {
        this.server = server;
        this.url = url;
        this.meter = meter;
        Product.createTables(url);
    }

    /**
     * Starts one.
     *
     * @throws IllegalStateException if there is none to be had; the message says what to do
     */
    static Database start(Product product) {
        return switch (product) {
            case POSTGRESQL -> postgres();
            case MARIADB -> mariaDb();
        };
    }

    private static Database postgres() {
        PostgresServer server = PostgresServer.own()
                .with("max_connections", MOST_CONNECTIONS)
                .with("synchronous_commit", "off")
                .with("shared_preload_libraries", "pg_stat_statements");
        return started(server, () -> {
            String url = server.freshDatabase();
            return new Database(server, url, StatementMeter.of(server, url));
        });
    }

    private static Database mariaDb() {
        MariaDbServer server = MariaDbServer.own()
                .with("max_connections", MOST_CONNECTIONS)
                .with("innodb_flush_log_at_trx_commit", "0");
        return started(server, () -> new Database(server, server.freshDatabase(), StatementMeter.of(server)));
    }

    private interface Preparation {
        Database prepared() throws SQLException;
    }

    private static Database started(SqlServer server, Preparation preparation) {
        server.start();
        try {
            return preparation.prepared();
        } catch (SQLException | RuntimeException e) {
            server.close();
            throw new IllegalStateException("The database for the suite could not be prepared", e);
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
            throw new IllegalStateException("The database does not say what it is", e);
        }
    }

    /** How many of these locks a contender holds. It asks for them by name: leases of an earlier step may not have ended yet. */
    long held(String contender, Set<String> names) {
        Set<String> keys =
                names.stream().map(name -> JdbcField.keyOf(contender, name)).collect(Collectors.toSet());
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement statement =
                        connection.prepareStatement(Product.of(url).sql("held-" + contender));
                ResultSet rows = statement.executeQuery()) {
            long held = 0;
            while (rows.next()) {
                held += keys.contains(rows.getString(1)) ? 1 : 0;
            }
            return held;
        } catch (SQLException e) {
            throw new IllegalStateException("The database does not say what is held", e);
        }
    }

    /** Gives everyone's table the rows that are left when so many locks have been used once. */
    void leaveUsed(int locks) {
        Product product = Product.of(url);
        try (Connection connection = DriverManager.getConnection(url)) {
            for (String sql : product.sql("used-locks").split(";", -1)) {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.setInt(1, locks);
                    statement.executeUpdate();
                }
            }
            product.count(url);
        } catch (SQLException e) {
            throw new IllegalStateException("The tables could not be filled", e);
        }
    }

    @Override
    public void close() {
        try {
            meter.close();
        } catch (SQLException e) {
            throw new IllegalStateException("The meter's connection could not be closed", e);
        } finally {
            server.close();
        }
    }
}
