package dev.interlock.transactions;

import dev.interlock.lock.LockTimeoutException;
import dev.interlock.transactions.internal.Dialect;
import dev.interlock.transactions.internal.SqlFailures;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Common steps of statements in a caller's transaction: check that there is one, bind values, translate errors. */
final class CallerTransaction {
    /** MySQL and MariaDB: lock wait timeout, row locked with NOWAIT, statement timeout (one code of each product). */
    private static final Set<Integer> MYSQL_BUSY = Set.of(1205, 3572, 3024, 1969);

    /** H2: lock timeout, statement timeout. */
    private static final Set<Integer> H2_BUSY = Set.of(50200, 57014);

    private CallerTransaction() {}

    /** Returns the dialect. Refuses a connection in auto-commit mode. */
    static Dialect dialect(Connection connection, String what) throws SQLException {
        Objects.requireNonNull(connection, "connection is null: pass the connection of the transaction");
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    what + " needs a transaction, but this connection is in auto-commit mode: the lock would end"
                            + " before the next statement. Call setAutoCommit(false) first");
        }
        return Dialect.of(connection);
    }

    /** Binds a value. The MySQL and MariaDB drivers do not support UUIDs, so these are bound as text. */
    static void bind(PreparedStatement statement, int index, @Nullable Object value, Dialect dialect)
            throws SQLException {
        statement.setObject(index, dialect.isMySql() && value instanceof UUID ? value.toString() : value);
    }

    /** Returns whether the statement failed because another transaction kept a row locked. */
    static boolean isBusy(Dialect dialect, SQLException error) {
        return error instanceof SQLTimeoutException
                || switch (dialect) {
                    case POSTGRESQL -> Set.of("55P03", "57014").contains(String.valueOf(error.getSQLState()));
                    case MYSQL, MARIADB -> MYSQL_BUSY.contains(error.getErrorCode());
                    case H2 -> H2_BUSY.contains(error.getErrorCode());
                };
    }

    /**
     * Returns whether the database aborted the transaction because of a concurrent one. A constraint violation is not a
     * conflict: it passes through to the caller.
     */
    static boolean isConflict(Dialect dialect, SQLException error) {
        String state = String.valueOf(error.getSQLState());
        return !state.equals("40003")
                && !state.startsWith("23")
                && !isBusy(dialect, error)
                && SqlFailures.isWorthRetrying(dialect, error);
    }

    /**
     * Returns the exception to throw for an error of the database: a {@link ConflictException} or the error itself.
     *
     * @throws LockTimeoutException if another transaction kept a row locked
     */
    static SQLException translated(Dialect dialect, String what, SQLException error) {
        if (error instanceof ConflictException) {
            return error;
        }
        if (isBusy(dialect, error)) {
            throw new LockTimeoutException(what + " stayed locked by another transaction (" + error.getMessage()
                    + "). Roll back and try again later");
        }
        return isConflict(dialect, error)
                ? new ConflictException(
                        what + " was changed by another transaction (" + error.getMessage()
                                + "). Roll back and retry the whole transaction",
                        error)
                : error;
    }
}
