package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.jdbc.internal.Failures;
import dev.interlock.spi.StoreException;
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
 * Borrows connections, one at a time for one piece of work, and gives them back as they were.
 *
 * <p>Work runs in a transaction of its own, READ COMMITTED, never in one of the application's. When the database gives up on it because of
 * others, a deadlock or a conflict, it is done again a few times; whoever asked for a lock never sees that. Fails with {@link StoreException}.
 */
final class Database {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");
    private static final int MOST_TRIES = 8;
    private static final long LONGEST_PAUSE_MICROS = 20_000;
    private static final int H2_ROW_MILLIS = 1_700;
    private static final int LONGEST_GAP_SECONDS = 2;
    private static final int HERE_MILLIS = 1_800;
    private static final long MOST_BROKEN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final String RELAX = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    /** What is done over one connection. May be done several times. */
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    private final DataSource source;
    private final String name;
    private final Dialect dialect;
    private final boolean readCommitted;
    private final int silenceMillis;
    private final Overdue overdue = new Overdue();
    private final Kept kept;

    /**
     * A database that keeps silent for longer than this is gone; a cut cable says nothing either. Whether connections come with READ
     * COMMITTED is asked of this first one: asking each time would cost a trip of its own.
     */
    Database(DataSource source, Connection first, String name, Duration silence, int mostKept) throws SQLException {
        this.source = source;
        this.name = name;
        this.dialect = Dialect.of(first);
        this.readCommitted = first.getTransactionIsolation() == Connection.TRANSACTION_READ_COMMITTED;
        this.silenceMillis = Math.toIntExact(silence.toMillis());
        // Not with H2: a thread that is interrupted in one of its files closes it.
        this.kept = new Kept(needsNoTransaction() && dialect != Dialect.H2 ? mostKept : 0, this::giveBack);
    }

    Dialect dialect() {
        return dialect;
    }

    String name() {
        return name;
    }

    /** Where statements are reported, so that none takes too long. */
    Overdue overdue() {
        return overdue;
    }

    /** One statement that is a transaction by itself. */
    <T> T statement(Work<T> work) {
        return again(needsNoTransaction(), work);
    }

    /** PostgreSQL's stricter isolations make a conflict of what is only a wait; the others' read what is committed anyway when they write. */
    private boolean needsNoTransaction() {
        return readCommitted || dialect != Dialect.POSTGRESQL;
    }

    /** Several statements that take effect together or not at all. */
    <T> T transaction(Work<T> work) {
        return again(false, work);
    }

    /** A batch of so many statements that need not take effect together, but should be committed together if that is faster. */
    <T> T batch(int size, Work<T> work) {
        // PostgreSQL's driver sends a batch as one transaction anyway.
        return again(needsNoTransaction() && (size == 1 || dialect == Dialect.POSTGRESQL), work);
    }

    private <T> T again(boolean alone, Work<T> work) {
        long began = System.nanoTime();
        for (int tries = 1; ; tries++) {
            try (Loan loan = borrow()) {
                T done = on(loan.connection, alone, work);
                loan.isKept = keep(loan.connection);
                return done;
            } catch (Broken e) {
                // A pool may have more dead connections, but nobody waits for a network that is silent.
                if (tries == MOST_TRIES || System.nanoTime() - began > MOST_BROKEN_NANOS) {
                    throw StoreException.notSent(
                            name + " was lost before anything was committed: " + e.error.getMessage(), e.error);
                }
            } catch (Conflict e) {
                if (tries == MOST_TRIES) {
                    throw StoreException.notNow(
                            name + " gave up " + MOST_TRIES + " times because of others: " + e.error.getMessage(),
                            e.error);
                }
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(
                        ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_MICROS * tries / MOST_TRIES)));
            }
        }
    }

    /** A borrowed connection, given back unless it is kept. */
    private static final class Loan implements AutoCloseable {
        final Connection connection;
        boolean isKept;

        Loan(Connection connection) {
            this.connection = connection;
        }

        /** What was done is done, whatever becomes of the connection. */
        @Override
        public void close() {
            if (isKept) {
                return;
            }
            try {
                connection.close();
            } catch (SQLException e) {
                LOG.log(System.Logger.Level.DEBUG, "A connection could not be given back: {0}", e.toString());
            }
        }
    }

    /**
     * One statement that is a transaction by itself, on this very thread, over a connection that is at hand; null if there is none or others
     * were in the way, and then nothing was done. Not made if it may take longer than the limit.
     */
    <T> @Nullable T here(Duration limit, Work<T> work) {
        return onSpare(limit, spare -> work.run(spare.connection));
    }

    /** What is done with a statement that stays open. */
    interface Use<T> {
        T run(PreparedStatement statement) throws SQLException;
    }

    /** The same with a statement that stays open as long as its connection is at hand. */
    <T> @Nullable T here(Duration limit, Kept.Preparation preparation, Use<T> use) {
        return onSpare(limit, spare -> {
            PreparedStatement statement = spare.statement(preparation);
            overdue.begin(statement);
            return use.run(statement);
        });
    }

    private interface SpareWork<T> {
        T run(Kept.Spare spare) throws SQLException;
    }

    private <T> @Nullable T onSpare(Duration limit, SpareWork<T> work) {
        Kept.Spare spare = limit.toMillis() >= HERE_MILLIS ? kept.take() : null;
        if (spare == null) {
            return null;
        }
        boolean works = false;
        try {
            if (dialect == Dialect.POSTGRESQL) {
                overdue.lend(spare.connection);
            }
            T done = alone(spare.connection, connection -> work.run(spare));
            works = true;
            return done;
        } catch (Conflict e) {
            works = true;
            return null;
        } finally {
            if (!overdue.end()) {
                abort(spare.connection);
                kept.broke(spare);
            } else if (works) {
                kept.give(spare);
            } else {
                kept.broke(spare);
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

    /** Keeps a connection at hand instead of giving it back, if that is wanted: ready for single statements. */
    private boolean keep(Connection connection) {
        if (!kept.wants()) {
            return false;
        }
        FormerState former = null;
        boolean ready = false;
        try {
            former = FormerState.beforeLimiting(connection, dialect, Math.min(silenceMillis, HERE_MILLIS));
            connection.setAutoCommit(true);
            if (dialect == Dialect.POSTGRESQL) {
                // Instead, the connection is closed if a statement does not end; the others' drivers cannot do that in
                // time.
                FormerState.limit(connection, dialect, 0);
            }
            ready = true;
        } catch (SQLException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "A connection is not kept: {0}", e.toString());
        }
        if (former != null && ready) {
            kept.keep(new Kept.Spare(connection, former));
            return true;
        }
        kept.wantsNot();
        if (former != null) {
            former.restore(connection, dialect);
        }
        return false;
    }

    private void giveBack(Kept.Spare spare) {
        try (Connection connection = spare.connection) {
            spare.closeStatements();
            spare.former.restore(connection, dialect);
        } catch (SQLException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be given back: {0}", e.toString());
        }
    }

    /** Gives back what it keeps. */
    void close() {
        kept.close();
    }

    private Loan borrow() {
        try {
            return new Loan(source.getConnection());
        } catch (SQLException e) {
            throw StoreException.notSent("No connection to " + name + ": " + e.getMessage(), e);
        }
    }

    /** Work over a connection, which is afterwards as it was; if it is broken, its pool will find out. */
    private <T> T on(Connection connection, boolean alone, Work<T> work) {
        FormerState former;
        try {
            int millis = dialect == Dialect.H2 ? Math.min(silenceMillis, H2_ROW_MILLIS) : silenceMillis;
            former = FormerState.beforeLimiting(connection, dialect, millis);
        } catch (SQLException e) {
            // Not every pool notices what its driver says about a connection that is closed; it is given back, and
            // another one may do.
            throw new Broken(e);
        }
        try {
            return alone ? alone(connection, work) : together(connection, work);
        } finally {
            // PostgreSQL's driver lets nobody go on before a cancel has arrived.
            if (overdue.end() || !dialect.isMySql()) {
                former.restore(connection, dialect);
            } else {
                abort(connection);
            }
        }
    }

    private <T> T alone(Connection connection, Work<T> work) {
        try {
            connection.setAutoCommit(true);
            return work.run(connection);
        } catch (SQLException e) {
            if (Failures.isWorthRetrying(dialect, e)) {
                throw new Conflict(e);
            }
            if (Failures.isConnectionLost(e)) {
                throw StoreException.unknown(name + " was lost before it answered: " + e.getMessage(), e);
            }
            if (dialect.isMySql() && overdue.wasCancelled()) {
                // A driver says "cancelled" because it was told to, whether or not the server had done the work by
                // then.
                throw StoreException.unknown(name + " took too long: " + e.getMessage(), e);
            }
            throw Failures.answered(name, dialect, e);
        }
    }

    private <T> T together(Connection connection, Work<T> work) {
        int isolation = Connection.TRANSACTION_READ_COMMITTED;
        try {
            if (!readCommitted) {
                isolation = relax(connection);
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
            if (Failures.isWorthRetrying(dialect, e)) {
                throw new Conflict(e);
            }
            // Nothing was committed, so nothing was done, whether the database said so or is gone.
            if (Failures.isConnectionLost(e)) {
                throw new Broken(e);
            }
            throw Failures.answered(name, dialect, e);
        } finally {
            if (dialect.isMySql()) {
                restoreGaps(connection);
            }
            if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
                restore(connection, isolation);
            }
        }
    }

    /** Makes the next transaction READ COMMITTED, for itself alone where that can be said; answers what to go back to. */
    private int relax(Connection connection) throws SQLException {
        if (dialect.isMySql()) {
            run(connection, RELAX);
        } else if (dialect == Dialect.H2) {
            int isolation = connection.getTransactionIsolation();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            return isolation;
        }
        return Connection.TRANSACTION_READ_COMMITTED;
    }

    /**
     * The database must not wait for the rest of a transaction for ever when the network between two of its statements falls silent, or this
     * process stands still: it keeps rows locked, and nobody else could have their locks, long after the leases have ended.
     */
    private void limitGaps(Connection connection) throws SQLException {
        if (dialect == Dialect.POSTGRESQL) {
            String limit = "SET LOCAL idle_in_transaction_session_timeout = '" + LONGEST_GAP_SECONDS + "s'";
            run(connection, readCommitted ? limit : RELAX + "; " + limit);
        } else if (dialect.isMySql()) {
            run(connection, "SET @interlock_wait = @@wait_timeout, @@wait_timeout = " + LONGEST_GAP_SECONDS);
        }
    }

    private static void restoreGaps(Connection connection) {
        try {
            run(connection, "SET @@wait_timeout = COALESCE(@interlock_wait, @@wait_timeout)");
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be restored: {0}", e.toString());
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
            if (Failures.isWorthRetrying(dialect, e)) {
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
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be restored: {0}", e.toString());
        }
    }

    /** The connection was lost before the commit, so the work can be done again over another one. */
    private static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final transient SQLException error;

        Broken(SQLException error) {
            super(error);
            this.error = error;
        }
    }

    /** The database gave up because of others. */
    private static final class Conflict extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final transient SQLException error;

        Conflict(SQLException error) {
            super(error);
            this.error = error;
        }
    }
}
