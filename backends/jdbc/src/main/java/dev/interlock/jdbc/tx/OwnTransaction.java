package dev.interlock.jdbc.tx;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that is begun and ended here, on a connection that is borrowed for it and given back as it was.
 *
 * <p>Ends in one of three ways that never blur: committed, which is the plain return; not committed, with any exception; or unknown, with
 * {@link CommitUnknownException}. What goes wrong after the commit was answered is logged only.
 */
final class OwnTransaction {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc.tx");

    /**
     * Classes of states by which a server says that it did not commit: bad data, broken constraint, wrong state, rolled back, syntax or
     * rights, check option, no resources. Everything else at a commit may mean that the answer was lost.
     */
    private static final List<String> ANSWERED = List.of("22", "23", "25", "27", "40", "42", "44", "53", "54");

    private OwnTransaction() {}

    interface Work<T extends @Nullable Object, E extends Exception> {
        T run(Connection connection) throws SQLException, E;
    }

    static <T extends @Nullable Object, E extends Exception> T call(DataSource source, Work<T, E> work)
            throws SQLException, E {
        Connection connection = source.getConnection();
        boolean before;
        T done;
        try {
            before = connection.getAutoCommit();
            if (before) {
                connection.setAutoCommit(false);
            }
        } catch (SQLException e) {
            quietly("close", e, connection::close);
            throw e;
        }
        try {
            done = work.run(connection);
            commit(connection);
        } catch (Throwable e) {
            quietly("roll back", e, connection::rollback);
            giveBack(connection, before, e);
            throw e;
        }
        giveBack(connection, before, null);
        return done;
    }

    private static void commit(Connection connection) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException e) {
            if (isAnswered(e)) {
                throw e;
            }
            throw new CommitUnknownException(
                    "The database did not answer the commit (" + e.getMessage()
                            + "): the work may have been done or not. Look before doing it again",
                    e);
        }
    }

    static boolean isAnswered(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        return !state.equals("40003") && ANSWERED.stream().anyMatch(state::startsWith);
    }

    private static void giveBack(Connection connection, boolean autoCommit, @Nullable Throwable why) {
        if (autoCommit) {
            quietly("reset", why, () -> connection.setAutoCommit(true));
        }
        quietly("close", why, connection::close);
    }

    private interface Step {
        void take() throws SQLException;
    }

    /** The outcome of the transaction is known by now; a connection that cannot be tidied up must not hide it. */
    private static void quietly(String what, @Nullable Throwable why, Step step) {
        try {
            step.take();
        } catch (SQLException e) {
            if (why != null) {
                why.addSuppressed(e);
            } else {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "Could not " + what + " a connection after its transaction was committed",
                        e);
            }
        }
    }
}
