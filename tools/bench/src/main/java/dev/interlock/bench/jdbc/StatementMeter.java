package dev.interlock.bench.jdbc;

import dev.interlock.bench.ServerMeter;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Counts the statements that clients have a database carry out, {@code BEGIN}, {@code COMMIT} and {@code SET} among them. Not all
 * of them are round trips: PostgreSQL's driver sends {@code BEGIN} along with what comes next, and batches travel together.
 *
 * <p>Knows nothing of processor time: PostgreSQL tells it to nobody who asks in SQL, and MariaDB keeps accounts of it only if they are switched
 * on, which adds to every statement.
 */
final class StatementMeter implements ServerMeter, AutoCloseable {
    private final Connection connection;
    private final PreparedStatement count;
    private double own;

    /** Whether the statement that reads the counter is counted as well. */
    private final boolean countsItself;

    private StatementMeter(Connection connection, String sql, boolean countsItself) throws SQLException {
        this.connection = connection;
        this.count = connection.prepareStatement(sql);
        this.countsItself = countsItself;
    }

    /**
     * What {@code pg_stat_statements} says about one database; the meter itself is in another one. It misses a {@code COMMIT} that
     * a client has prepared, as PostgreSQL's driver does, so each {@code BEGIN} counts for the end of its transaction, too.
     */
    static StatementMeter of(PostgresServer server, String url) throws SQLException {
        Connection connection = server.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
        }
        StatementMeter meter = new StatementMeter(
                connection,
                "SELECT COALESCE(SUM(CASE WHEN query ~* '^BEGIN' THEN 2 * calls ELSE calls END), 0) FROM pg_stat_statements"
                        + " WHERE query !~* '^(COMMIT|ROLLBACK)'"
                        + " AND dbid = (SELECT oid FROM pg_database WHERE datname = ?)",
                false);
        meter.count.setString(1, url.replaceFirst(".*//[^/]+/([^?]*).*", "$1"));
        return meter;
    }

    /** What the server says about all of its clients. */
    static StatementMeter of(MariaDbServer server) throws SQLException {
        return new StatementMeter(
                server.connect(),
                "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'QUESTIONS'",
                true);
    }

    @Override
    public Reading read() {
        try (ResultSet row = count.executeQuery()) {
            row.next();
            double counted = row.getDouble(1) - own;
            own += countsItself ? 1 : 0;
            return new Reading(counted, counted, Double.NaN);
        } catch (SQLException e) {
            throw new IllegalStateException("The database does not say what it has done", e);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
