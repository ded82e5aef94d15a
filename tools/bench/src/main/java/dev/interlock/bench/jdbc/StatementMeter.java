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
 * Counts the statements that a database executes for clients, including {@code BEGIN}, {@code COMMIT} and {@code SET}.
 * Not every statement is a round trip: PostgreSQL's driver sends {@code BEGIN} together with the next statement, and
 * the statements of a batch share one.
 *
 * <p>Does not measure processor time. PostgreSQL does not report it in SQL, and MariaDB only with statistics that slow
 * down every statement.
 */
final class StatementMeter implements ServerMeter, AutoCloseable {
    private final Connection connection;
    private final PreparedStatement count;
    private double own;

    /** Whether the counter includes the statement that reads it. */
    private final boolean countsItself;

    private StatementMeter(Connection connection, String sql, boolean countsItself) throws SQLException {
        this.connection = connection;
        this.count = connection.prepareStatement(sql);
        this.countsItself = countsItself;
    }

    /**
     * Reads {@code pg_stat_statements} for one database, from another database. The view omits a prepared {@code
     * COMMIT}, which PostgreSQL's driver uses, so each {@code BEGIN} also counts for the end of its transaction.
     */
    static StatementMeter of(PostgresServer server, String url) throws SQLException {
        Connection connection = server.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
        }
        StatementMeter meter = new StatementMeter(
                connection,
                "SELECT COALESCE(SUM(CASE WHEN query ~* '^BEGIN' THEN 2 * calls ELSE calls END), 0)"
                        + " FROM pg_stat_statements"
                        + " WHERE query !~* '^(COMMIT|ROLLBACK)'"
                        + " AND dbid = (SELECT oid FROM pg_database WHERE datname = ?)",
                false);
        meter.count.setString(1, url.replaceFirst(".*//[^/]+/([^?]*).*", "$1"));
        return meter;
    }

    /** Reads the counter of all clients of the server. */
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
            throw new IllegalStateException("Could not read the statement counter of the database", e);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
