package dev.interlock.transactions;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs work in a new transaction, on a connection that is borrowed for it and returned in its previous state.
 *
 * <p>There are three outcomes. A normal return means committed. {@link CommitUnknownException} means unknown. Any other
 * exception means not committed. Errors after the commit was answered are only logged.
 */
final class OwnTransaction {
    private static final System.Logger LOG = System.getLogger("dev.interlock.transactions");

    /**
     * SQLSTATE classes with which a server refuses a commit: data exception, constraint violation, invalid transaction
     * state, trigger, rollback, syntax or privileges, check option, insufficient resources, program limit. After any
     * other error of a commit its answer may have been lost.
     */
    private static final List<String> REFUSED = List.of("22", "23", "25", "27", "40", "42", "44", "53", "54");

    private OwnTransaction() {}

    interface Work<T extends @Nullable Object, E extends Exception> {
        T run(Connection connection) throws SQLException, E;
    }

    static <T extends @Nullable Object, E extends Exception> T call(DataSource source, Work<T, E> work)
            throws SQLException, E {
        Connection connection = source.getConnection();
        boolean autoCommit;
        T result;
        try {
            autoCommit = connection.getAutoCommit();
            if (autoCommit) {
                connection.setAutoCommit(false);
            }
        } catch (SQLException e) {
            quietly("close", e, connection::close);
            throw e;
        }
        try {
            result = work.run(connection);
            commit(connection);
        } catch (Throwable e) {
            quietly("roll back", e, connection::rollback);
            returnConnection(connection, autoCommit, e);
            throw e;
        }
        returnConnection(connection, autoCommit, null);
        return result;
    }

    private static void commit(Connection connection) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException e) {
            if (isRefused(e)) {
                throw e;
            }
            throw new CommitUnknownException(
                    "The database did not answer the commit (" + e.getMessage()
                            + "): it may have been executed or not. Check before you repeat the work",
                    e);
        }
    }

    static boolean isRefused(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        return !state.equals("40003") && REFUSED.stream().anyMatch(state::startsWith);
    }

    private static void returnConnection(Connection connection, boolean autoCommit, @Nullable Throwable failure) {
        if (autoCommit) {
            quietly("reset", failure, () -> connection.setAutoCommit(true));
        }
        quietly("close", failure, connection::close);
    }

    private interface Step {
        void take() throws SQLException;
    }

    /** The outcome of the transaction is known here. An error of the connection must not replace it. */
    private static void quietly(String action, @Nullable Throwable failure, Step step) {
        try {
            step.take();
        } catch (SQLException e) {
            if (failure != null) {
                failure.addSuppressed(e);
            } else {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "Could not " + action + " a connection after its transaction was committed",
                        e);
            }
        }
    }
}
