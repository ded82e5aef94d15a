package dev.interlock.jdbc;

import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The settings of a connection before we used it, so that they can be restored.
 *
 * @param autoCommit whether each statement was a transaction
 * @param limitMillis how long the connection waited for an answer, or on H2 for a row
 */
record ConnectionSettings(boolean autoCommit, int limitMillis) {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");

    /** Reads the settings and sets a new limit. */
    static ConnectionSettings beforeLimiting(Connection connection, Dialect dialect, int millis) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        return new ConnectionSettings(autoCommit, limit(connection, dialect, millis));
    }

    /** Restores the settings. If that fails, the connection is broken and its pool will notice. */
    void restore(Connection connection, Dialect dialect) {
        try {
            if (connection.getAutoCommit() != autoCommit) {
                connection.setAutoCommit(autoCommit);
            }
            limit(connection, dialect, limitMillis);
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be restored: {0}", e.toString());
        }
    }

    /**
     * Limits how long to wait for an answer, or on H2, which may run in this process, for a row. Returns the old limit.
     */
    static int limit(Connection connection, Dialect dialect, int millis) throws SQLException {
        if (dialect == Dialect.H2) {
            return limitOfH2(connection, millis);
        }
        int before = connection.getNetworkTimeout();
        if (before != millis) {
            connection.setNetworkTimeout(Runnable::run, millis);
        }
        return before;
    }

    /** A cancel does not end H2's wait for a row, so that wait is limited. */
    private static int limitOfH2(Connection connection, int millis) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT LOCK_TIMEOUT()")) {
            int before = row.next() ? row.getInt(1) : millis;
            if (before != millis) {
                statement.execute("SET LOCK_TIMEOUT " + millis);
            }
            return before;
        }
    }
}
