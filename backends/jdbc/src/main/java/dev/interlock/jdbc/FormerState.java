package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What a connection was like before we used it, to leave it like that.
 *
 * @param autoCommit whether each statement was a transaction
 * @param limitMillis how long it waited for an answer, or on H2 for a row
 */
record FormerState(boolean autoCommit, int limitMillis) {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");

    /** Reads it, and sets how long to wait from now on. */
    static FormerState beforeLimiting(Connection connection, Dialect dialect, int millis) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        return new FormerState(autoCommit, limit(connection, dialect, millis));
    }

    /** As well as that can be done: if it cannot, the connection is broken, and its pool will find out. */
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

    /** Sets how long to wait for an answer, or on H2, which may be in this process, for a row; and says what it was. */
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

    /** H2 does not let go of a wait for a row when it is told to cancel. */
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
