package dev.interlock.jdbc.tx;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.jdbc.internal.Failures;
import dev.interlock.lock.LockTimeoutException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What every statement in a caller's transaction has in common: there is a transaction, values are bound, errors have one meaning. */
final class InTransaction {
    /** MySQL and MariaDB: lock wait timeout, NOWAIT met a lock, statement ended by its time limit (one each). */
    private static final Set<Integer> MYSQL_BUSY = Set.of(1205, 3572, 3024, 1969);

    /** H2: lock timeout, statement ended by its time limit. */
    private static final Set<Integer> H2_BUSY = Set.of(50200, 57014);

    private InTransaction() {}

    /** Refuses a connection whose statements are committed one by one. */
    static Dialect dialect(Connection connection, String what) throws SQLException {
        Objects.requireNonNull(connection, "connection is null: give the one that the transaction runs on");
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    what + " needs a transaction, and this connection commits each statement by itself: what is locked"
                            + " would be free again before the next statement. Call setAutoCommit(false) first");
        }
        return Dialect.of(connection);
    }

    /** Drivers of MySQL and MariaDB do not know UUIDs; such columns hold their text. */
    static void bind(PreparedStatement statement, int index, @Nullable Object value, Dialect dialect)
            throws SQLException {
        statement.setObject(index, dialect.isMySql() && value instanceof UUID ? value.toString() : value);
    }

    /** Whether a statement ended because others kept a row locked. */
    static boolean isBusy(Dialect dialect, SQLException error) {
        return error instanceof SQLTimeoutException
                || switch (dialect) {
                    case POSTGRESQL -> Set.of("55P03", "57014").contains(String.valueOf(error.getSQLState()));
                    case MYSQL, MARIADB -> MYSQL_BUSY.contains(error.getErrorCode());
                    case H2 -> H2_BUSY.contains(error.getErrorCode());
                };
    }

    /** Whether the database gave up on the whole transaction because of others. A broken constraint is the caller's, and stays. */
    static boolean isConflict(Dialect dialect, SQLException error) {
        String state = String.valueOf(error.getSQLState());
        return !state.equals("40003")
                && !state.startsWith("23")
                && !isBusy(dialect, error)
                && Failures.isWorthRetrying(dialect, error);
    }

    /** What to throw instead of what the database said: a conflict, a time-out, or the same. */
    static SQLException translated(Dialect dialect, String what, SQLException error) {
        if (error instanceof ConflictException) {
            return error;
        }
        if (isBusy(dialect, error)) {
            throw new LockTimeoutException(what + " stayed locked by another transaction (" + error.getMessage()
                    + "). Roll back, and try later");
        }
        return isConflict(dialect, error)
                ? new ConflictException(
                        what + " was changed by another transaction (" + error.getMessage()
                                + "). Roll back, and do the whole transaction again",
                        error)
                : error;
    }
}
