package dev.interlock.transactions.internal;

import dev.interlock.spi.StoreException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** Classifies the errors of a database: retry, lost connection, or refusal. */
public final class SqlFailures {
    /** MySQL and MariaDB: lock wait timeout, deadlock, record changed since last read. */
    private static final Set<Integer> MYSQL_RETRYABLE = Set.of(1205, 1213, 1020);

    /** MySQL and MariaDB: the server or the transaction is read-only. */
    private static final Set<Integer> MYSQL_READ_ONLY = Set.of(1290, 1792, 1836);

    /** H2: concurrent update, deadlock. */
    private static final Set<Integer> H2_RETRYABLE = Set.of(90131, 40001);

    private static final int H2_READ_ONLY = 90097;

    /**
     * PostgreSQL: shutdown by an administrator, crash, not yet started, idle session timeout, idle transaction
     * timeout.
     */
    private static final Set<String> POSTGRESQL_ENDED = Set.of("57P01", "57P02", "57P03", "57P05", "25P03");

    /**
     * MySQL and MariaDB: disconnected by inactivity (4031), shutdown (1053), connection killed (1927). H2: connection
     * broken (90067), database closed (90098, 90121).
     */
    private static final Set<Integer> ENDED = Set.of(4031, 1053, 1927, 90067, 90098, 90121);

    /** Statement completion unknown: in the class of rollbacks, but the statement may have been executed. */
    private static final String COMPLETION_UNKNOWN = "40003";

    private SqlFailures() {}

    /**
     * Returns whether the database aborted the transaction because of a concurrent one, so that a retry can succeed.
     */
    public static boolean isWorthRetrying(Dialect dialect, SQLException error) {
        String state = state(error);
        int code = error.getErrorCode();
        return (state.startsWith("40") && !state.equals(COMPLETION_UNKNOWN))
                || (dialect == Dialect.POSTGRESQL && (state.equals("55P03") || state.equals("23505")))
                || (dialect.isMySql() && MYSQL_RETRYABLE.contains(code))
                || (dialect == Dialect.H2 && (H2_RETRYABLE.contains(code) || state.equals("23505")));
    }

    /** Returns whether the connection is lost, so that the outcome of the statement is unknown. */
    public static boolean isConnectionLost(SQLException error) {
        String state = state(error);
        return error instanceof SQLRecoverableException
                || error instanceof SQLNonTransientConnectionException
                || error instanceof SQLTransientConnectionException
                || state.startsWith("08")
                || state.equals(COMPLETION_UNKNOWN)
                || POSTGRESQL_ENDED.contains(state)
                || ENDED.contains(error.getErrorCode());
    }

    /** Converts an error that the database answered. The statement was not executed. */
    public static StoreException answered(String database, Dialect dialect, SQLException error) {
        String state = state(error);
        int code = error.getErrorCode();
        if (state.equals("25006")
                || (dialect.isMySql() && MYSQL_READ_ONLY.contains(code))
                || (dialect == Dialect.H2 && code == H2_READ_ONLY)) {
            return StoreException.notNow(
                    database + " is read-only: locks need the primary (" + error.getMessage() + ")", error);
        }
        if (state.startsWith("42") || state.startsWith("3D") || state.startsWith("28")) {
            return StoreException.refused(database + " refused the statement: " + error.getMessage()
                    + ". Check the tables (schema.sql in the jar, or createSchemaIfMissing())"
                    + " and the user's privileges on them");
        }
        return StoreException.notNow(database + " cannot execute the statement now: " + error.getMessage(), error);
    }

    private static String state(SQLException error) {
        return String.valueOf(error.getSQLState());
    }
}
