package dev.interlock.jdbc.internal;

import dev.interlock.spi.StoreException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** What a database's errors mean for a lock. */
public final class Failures {
    /** MySQL and MariaDB: lock wait timeout, deadlock, record changed since last read. */
    private static final Set<Integer> MYSQL_AGAIN = Set.of(1205, 1213, 1020);

    /** MySQL and MariaDB: the server runs read-only, or the transaction does. */
    private static final Set<Integer> MYSQL_READ_ONLY = Set.of(1290, 1792, 1836);

    /** H2: concurrent update, deadlock. */
    private static final Set<Integer> H2_AGAIN = Set.of(90131, 40001);

    private static final int H2_READ_ONLY = 90097;

    /** Looks like a conflict, and may have been done. */
    private static final String COMPLETION_UNKNOWN = "40003";

    private Failures() {}

    /** Whether the database gave up on a transaction because of others, so that trying again is what it asks for. */
    public static boolean isWorthRetrying(Dialect dialect, SQLException error) {
        String state = state(error);
        int code = error.getErrorCode();
        return (state.startsWith("40") && !state.equals(COMPLETION_UNKNOWN))
                || (dialect == Dialect.POSTGRESQL && (state.equals("55P03") || state.equals("23505")))
                || (dialect.isMySql() && MYSQL_AGAIN.contains(code))
                || (dialect == Dialect.H2 && (H2_AGAIN.contains(code) || state.equals("23505")));
    }

    /** Whether the connection is gone, so that nobody knows what became of the statement. */
    public static boolean isConnectionLost(SQLException error) {
        String state = state(error);
        return error instanceof SQLRecoverableException
                || error instanceof SQLNonTransientConnectionException
                || error instanceof SQLTransientConnectionException
                || state.startsWith("08")
                || state.equals(COMPLETION_UNKNOWN)
                || state.equals("57P01")
                || state.equals("57P02")
                || state.equals("57P03")
                || state.equals("57P05")
                || state.equals("25P03")
                || error.getErrorCode() == 4031
                || error.getErrorCode() == 1053
                || error.getErrorCode() == 1927
                || error.getErrorCode() == 90067
                || error.getErrorCode() == 90098
                || error.getErrorCode() == 90121;
    }

    /** For a database that answered with an error and has done nothing. */
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
            return StoreException.refused(
                    database + " refuses: " + error.getMessage()
                            + ". Check the tables (schema.sql in the jar, or createSchemaIfMissing()) and the user's rights on them");
        }
        return StoreException.notNow(database + " does not do this now: " + error.getMessage(), error);
    }

    private static String state(SQLException error) {
        return String.valueOf(error.getSQLState());
    }
}
