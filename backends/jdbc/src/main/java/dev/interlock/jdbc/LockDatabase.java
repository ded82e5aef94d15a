package dev.interlock.jdbc;

import dev.interlock.spi.StoreException;
import dev.interlock.transactions.internal.Dialect;
import dev.interlock.transactions.internal.SqlFailures;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Borrows connections, one per piece of work, and returns them with their former settings.
 *
 * <p>Work runs in a transaction of its own, READ COMMITTED, never in one of the application's. If the database reports
 * a deadlock or a conflict, the work is repeated a few times; callers never see that. Fails with
 * {@link StoreException}.
 */
final class LockDatabase {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");
    private static final int MAX_TRIES = 8;
    private static final long MAX_PAUSE_MICROS = 20_000;
    private static final int MAX_H2_ROW_WAIT_MILLIS = 1_700;
    private static final int MAX_GAP_SECONDS = 2;
    private static final int CALLERS_THREAD_MILLIS = 1_800;
    private static final long MAX_BROKEN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final String USE_READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    /** Work on one connection. May run several times. */
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    private final DataSource source;
    private final String name;
    private final Dialect dialect;
    private final boolean readCommitted;
    private final int silenceMillis;
    private final StatementTimeouts timeouts = new StatementTimeouts();
    private final WarmConnections warm;

    /**
     * A database that does not answer for {@code silenceLimit} counts as lost. The first connection says whether
     * connections use READ COMMITTED: asking each time would cost a round trip.
     */
    LockDatabase(DataSource source, Connection first, String name, Duration silenceLimit, int maxWarm)
            throws SQLException {
        this.source = source;
        this.name = name;
        this.dialect = Dialect.of(first);
        this.readCommitted = first.getTransactionIsolation() == Connection.TRANSACTION_READ_COMMITTED;
        this.silenceMillis = Math.toIntExact(silenceLimit.toMillis());
        // Not with H2: an interrupted thread closes the database file that it is using.
        this.warm =
                new WarmConnections(needsNoTransaction() && dialect != Dialect.H2 ? maxWarm : 0, this::returnToPool);
    }

    Dialect dialect() {
        return dialect;
    }

    String name() {
        return name;
    }

    StatementTimeouts timeouts() {
        return timeouts;
    }

    /** Runs one statement that is a transaction by itself. */
    <T> T statement(Work<T> work) {
        return retrying(needsNoTransaction(), work);
    }

    /**
     * PostgreSQL's stricter isolation levels report a conflict instead of waiting; the other databases read committed
     * rows when they write.
     */
    private boolean needsNoTransaction() {
        return readCommitted || dialect != Dialect.POSTGRESQL;
    }

    /** Runs several statements that take effect together or not at all. */
    <T> T transaction(Work<T> work) {
        return retrying(false, work);
    }

    /**
     * Runs a batch of this many statements that need not take effect together, but may share a commit if that is
     * faster.
     */
    <T> T batch(int size, Work<T> work) {
        // PostgreSQL's driver sends a batch as one transaction anyway.
        return retrying(needsNoTransaction() && (size == 1 || dialect == Dialect.POSTGRESQL), work);
    }

    private <T> T retrying(boolean autoCommit, Work<T> work) {
        long began = System.nanoTime();
        for (int tries = 1; ; tries++) {
            try (Loan loan = borrow()) {
                T done = on(loan.connection, autoCommit, work);
                loan.isKept = keepWarm(loan.connection);
                return done;
            } catch (Broken e) {
                // A pool may have more dead connections, but a caller does not wait for a network that is silent.
                if (tries == MAX_TRIES || System.nanoTime() - began > MAX_BROKEN_NANOS) {
                    throw StoreException.notSent(
                            name + " was lost before anything was committed: " + e.error.getMessage(), e.error);
                }
            } catch (Conflict e) {
                if (tries == MAX_TRIES) {
                    throw StoreException.notNow(
                            name + " reported a conflict " + MAX_TRIES + " times: " + e.error.getMessage(), e.error);
                }
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(
                        ThreadLocalRandom.current().nextLong(MAX_PAUSE_MICROS * tries / MAX_TRIES)));
            }
        }
    }

    /** A borrowed connection. Returned to the pool unless it is kept warm. */
    private static final class Loan implements AutoCloseable {
        final Connection connection;
        boolean isKept;

        Loan(Connection connection) {
            this.connection = connection;
        }

        /** The work is done, whatever happens to the connection. */
        @Override
        public void close() {
            if (isKept) {
                return;
            }
            try {
                connection.close();
            } catch (SQLException e) {
                LOG.log(System.Logger.Level.DEBUG, "A connection could not be returned to its pool: {0}", e.toString());
            }
        }
    }

    /**
     * Runs one statement, which is a transaction by itself, on the calling thread and a warm connection. Null if there
     * is no warm connection, if the statement could take longer than the limit, or if it ended in a conflict; then
     * nothing was done.
     */
    <T> @Nullable T here(Duration limit, Work<T> work) {
        return onWarm(limit, it -> work.run(it.connection));
    }

    /** Sets the parameters of an open statement and executes it. */
    interface Use<T> {
        T run(PreparedStatement statement) throws SQLException;
    }

    /** The same with a statement that stays open as long as its connection is kept. */
    <T> @Nullable T here(Duration limit, WarmConnections.Preparation preparation, Use<T> use) {
        return onWarm(limit, it -> {
            PreparedStatement statement = it.statement(preparation);
            timeouts.begin(statement);
            return use.run(statement);
        });
    }

    private interface WarmWork<T> {
        T run(WarmConnections.Warm connection) throws SQLException;
    }

    private <T> @Nullable T onWarm(Duration limit, WarmWork<T> work) {
        WarmConnections.Warm taken = limit.toMillis() >= CALLERS_THREAD_MILLIS ? warm.take() : null;
        if (taken == null) {
            return null;
        }
        boolean works = false;
        try {
            if (dialect == Dialect.POSTGRESQL) {
                timeouts.beginOnCallersThread(taken.connection);
            }
            T done = inAutoCommit(taken.connection, connection -> work.run(taken));
            works = true;
            return done;
        } catch (Conflict e) {
            works = true;
            return null;
        } finally {
            if (!timeouts.end()) {
                abort(taken.connection);
                warm.dropAfterFailure(taken);
            } else if (works) {
                warm.putBack(taken);
            } else {
                warm.dropAfterFailure(taken);
            }
        }
    }

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be closed: {0}", e.toString());
        }
    }

    /** Keeps a connection warm instead of returning it, if one was missed. Prepares it for single statements. */
    private boolean keepWarm(Connection connection) {
        if (!warm.reserve()) {
            return false;
        }
        ConnectionSettings former = null;
        boolean ready = false;
        try {
            former = ConnectionSettings.beforeLimiting(
                    connection, dialect, Math.min(silenceMillis, CALLERS_THREAD_MILLIS));
            connection.setAutoCommit(true);
            if (dialect == Dialect.POSTGRESQL) {
                // StatementTimeouts closes the connection instead; the other drivers cannot close it in time.
                ConnectionSettings.limit(connection, dialect, 0);
            }
            ready = true;
        } catch (SQLException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "A connection is not kept warm: {0}", e.toString());
        }
        if (former != null && ready) {
            warm.add(new WarmConnections.Warm(connection, former));
            return true;
        }
        warm.cancelReservation();
        if (former != null) {
            former.restore(connection, dialect);
        }
        return false;
    }

    private void returnToPool(WarmConnections.Warm returned) {
        try (Connection connection = returned.connection) {
            returned.closeStatements();
            returned.settings.restore(connection, dialect);
        } catch (SQLException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be returned to its pool: {0}", e.toString());
        }
    }

    /** Returns all warm connections. */
    void close() {
        warm.close();
    }

    private Loan borrow() {
        try {
            return new Loan(source.getConnection());
        } catch (SQLException e) {
            throw StoreException.notSent("No connection to " + name + ": " + e.getMessage(), e);
        }
    }

    /** Runs work on a connection and restores its settings. If the connection is broken, its pool will notice. */
    private <T> T on(Connection connection, boolean autoCommit, Work<T> work) {
        ConnectionSettings former;
        try {
            int millis = dialect == Dialect.H2 ? Math.min(silenceMillis, MAX_H2_ROW_WAIT_MILLIS) : silenceMillis;
            former = ConnectionSettings.beforeLimiting(connection, dialect, millis);
        } catch (SQLException e) {
            // Not every pool notices that a connection is closed. It is returned, and another one may work.
            throw new Broken(e);
        }
        try {
            return autoCommit ? inAutoCommit(connection, work) : inTransaction(connection, work);
        } finally {
            // PostgreSQL's driver does not return before a cancel has arrived.
            if (timeouts.end() || !dialect.isMySql()) {
                former.restore(connection, dialect);
            } else {
                abort(connection);
            }
        }
    }

    private <T> T inAutoCommit(Connection connection, Work<T> work) {
        try {
            connection.setAutoCommit(true);
            return work.run(connection);
        } catch (SQLException e) {
            if (SqlFailures.isWorthRetrying(dialect, e)) {
                throw new Conflict(e);
            }
            if (SqlFailures.isConnectionLost(e)) {
                throw StoreException.unknown(name + " was lost before it answered: " + e.getMessage(), e);
            }
            if (dialect.isMySql() && timeouts.wasCancelled()) {
                // The driver reports a cancelled statement whether or not the server completed it.
                throw StoreException.unknown(name + " took too long: " + e.getMessage(), e);
            }
            throw SqlFailures.answered(name, dialect, e);
        }
    }

    private <T> T inTransaction(Connection connection, Work<T> work) {
        int isolation = Connection.TRANSACTION_READ_COMMITTED;
        try {
            if (!readCommitted) {
                isolation = useReadCommitted(connection);
            }
            T done;
            try {
                connection.setAutoCommit(false);
                limitGaps(connection);
                done = work.run(connection);
            } catch (RuntimeException e) {
                rollBack(connection, e);
                throw e;
            }
            commit(connection);
            return done;
        } catch (SQLException e) {
            rollBack(connection, e);
            if (SqlFailures.isWorthRetrying(dialect, e)) {
                throw new Conflict(e);
            }
            // Nothing was committed, so nothing was done, even if the connection is lost.
            if (SqlFailures.isConnectionLost(e)) {
                throw new Broken(e);
            }
            throw SqlFailures.answered(name, dialect, e);
        } finally {
            if (dialect.isMySql()) {
                restoreGaps(connection);
            }
            if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
                restore(connection, isolation);
            }
        }
    }

    /** Sets READ COMMITTED for the next transaction only, where possible. Returns the isolation to restore. */
    private int useReadCommitted(Connection connection) throws SQLException {
        if (dialect.isMySql()) {
            run(connection, USE_READ_COMMITTED);
        } else if (dialect == Dialect.H2) {
            int isolation = connection.getTransactionIsolation();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            return isolation;
        }
        return Connection.TRANSACTION_READ_COMMITTED;
    }

    /**
     * Limits the time between two statements of a transaction. If this process stops or the network is cut in between,
     * the server must not keep the rows locked until long after the leases have ended.
     */
    private void limitGaps(Connection connection) throws SQLException {
        if (dialect == Dialect.POSTGRESQL) {
            String limit = "SET LOCAL idle_in_transaction_session_timeout = '" + MAX_GAP_SECONDS + "s'";
            run(connection, readCommitted ? limit : USE_READ_COMMITTED + "; " + limit);
        } else if (dialect.isMySql()) {
            run(connection, "SET @interlock_wait = @@wait_timeout, @@wait_timeout = " + MAX_GAP_SECONDS);
        }
    }

    private static void restoreGaps(Connection connection) {
        try {
            run(connection, "SET @@wait_timeout = COALESCE(@interlock_wait, @@wait_timeout)");
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "The settings of a connection could not be restored: {0}", e.toString());
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void commit(Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            rollBack(connection, e);
            if (SqlFailures.isWorthRetrying(dialect, e)) {
                throw new Conflict(e);
            }
            throw StoreException.unknown(name + " was lost while it committed: " + e.getMessage(), e);
        }
    }

    private static void rollBack(Connection connection, Exception why) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            why.addSuppressed(e);
        }
    }

    private static void restore(Connection connection, int isolation) {
        try {
            connection.setTransactionIsolation(isolation);
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "The settings of a connection could not be restored: {0}", e.toString());
        }
    }

    /** The connection was lost before the commit, so the work can be repeated on another one. */
    private static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final transient SQLException error;

        Broken(SQLException error) {
            super(error);
            this.error = error;
        }
    }

    /** The database reported a deadlock or a conflict. */
    private static final class Conflict extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final transient SQLException error;

        Conflict(SQLException error) {
            super(error);
            this.error = error;
        }
    }
}
