package dev.interlock.transactions;

import dev.interlock.lock.LockInterruptedException;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs work in a transaction without a lock, and retries it after a conflict with another transaction. For data with
 * few concurrent writes.
 *
 * <pre>{@code
 * OptimisticRetry retry = OptimisticRetry.over(dataSource);
 *
 * retry.run(connection -> {
 *     Account account = read(connection, id);   // with its version
 *     // UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?
 *     OptimisticRetry.mustHit(update(connection, account.withdraw(10)), "account " + id);
 * });
 * }</pre>
 *
 * <p>The work starts again in a new transaction if {@link #mustHit} found that the version had changed, or if the
 * database reported a serialization failure, a deadlock or a row that stayed locked. There is a pause with growing
 * length and jitter before each retry, during which no connection is held. The work can run several times, so it must
 * have no effect that a rollback does not undo.
 *
 * <p><b>Outcome.</b> A normal return means committed. {@link ConflictException} means that every try had a
 * conflict and none was committed; if that happens often, use a lock. {@link CommitUnknownException} means that the
 * database did not answer the commit; the work is <em>not</em> retried then. Any other exception of the work causes a
 * rollback and is thrown at once. An interrupt during a pause ends it with {@link LockInterruptedException}; the
 * thread stays interrupted.
 *
 * <p>Immutable and thread-safe.
 *
 * @since 0.1.0
 */
public final class OptimisticRetry {
    private static final int DEFAULT_TRIES = 8;
    private static final int MAX_TRIES = 100;
    private static final long FIRST_PAUSE_MILLIS = 4;
    private static final long MAX_PAUSE_MILLIS = 250;
    private static final int MAX_CAUSES = 16;

    private final DataSource source;
    private final int tries;

    private OptimisticRetry(DataSource source, int tries) {
        this.source = source;
        this.tries = tries;
    }

    /**
     * Work in a transaction, which can run several times.
     *
     * @since 0.1.0
     */
    @FunctionalInterface
    public interface Action<E extends Exception> {
        /** Does the work. Must not commit, roll back or close the connection. */
        void run(Connection connection) throws SQLException, E;
    }

    /**
     * Work in a transaction, with a result, which can run several times.
     *
     * @since 0.1.0
     */
    @FunctionalInterface
    public interface Function<T extends @Nullable Object, E extends Exception> {
        /** Does the work. Must not commit, roll back or close the connection. */
        T call(Connection connection) throws SQLException, E;
    }

    /** Returns an instance that uses connections of this data source and tries at most 8 times. */
    public static OptimisticRetry over(DataSource source) {
        return new OptimisticRetry(
                Objects.requireNonNull(source, "source is null: pass the data source of the data"), DEFAULT_TRIES);
    }

    /** Returns an instance that tries at most this often, 1 to 100 times. */
    public OptimisticRetry atMost(int tries) {
        if (tries < 1 || tries > MAX_TRIES) {
            throw new IllegalArgumentException("tries is " + tries + ": choose 1 to " + MAX_TRIES);
        }
        return new OptimisticRetry(source, tries);
    }

    /**
     * Checks that an update with a version condition has changed its row.
     *
     * @param rows the result of {@code executeUpdate}
     * @param what the row, for the message
     * @throws ConflictException if no row was updated: its version has changed, or the row was deleted
     * @throws IllegalStateException if several rows were updated: the condition does not identify one row
     */
    public static void mustHit(int rows, String what) throws ConflictException {
        if (rows == 0) {
            throw new ConflictException(
                    "Another transaction has changed or deleted " + what + " since it was read. Read it again", null);
        }
        if (rows != 1) {
            throw new IllegalStateException("The update of " + what + " changed " + rows
                    + " rows: its WHERE must identify one row and its version");
        }
    }

    /**
     * Does the work in a transaction and commits it, and retries after a conflict.
     *
     * @throws ConflictException if every try had a conflict; not committed
     * @throws CommitUnknownException if the database did not answer the commit
     */
    public <E extends Exception> void run(Action<E> work) throws SQLException, E {
        Objects.requireNonNull(work, "work is null: pass the work to do in the transaction");
        this.<Boolean, E>call(connection -> {
            work.run(connection);
            return true;
        });
    }

    /** Does the same as {@link #run}, and returns the result of the work. */
    public <T extends @Nullable Object, E extends Exception> T call(Function<T, E> work) throws SQLException, E {
        Objects.requireNonNull(work, "work is null: pass the work to do in the transaction");
        long start = System.nanoTime();
        Try current = new Try();
        for (int done = 1; ; done++) {
            try {
                return OwnTransaction.<T, E>call(source, connection -> {
                    current.dialect = Dialect.of(connection);
                    return work.call(connection);
                });
            } catch (Exception e) {
                SQLException conflict = conflict(current.dialect, e);
                if (conflict == null) {
                    throw e;
                }
                if (done == tries) {
                    throw new ConflictException(
                            "Gave up after " + tries + " tries in "
                                    + Duration.ofNanos(System.nanoTime() - start)
                                            .toMillis()
                                    + " ms, each with a conflict. Use a lock if this happens often. The last conflict: "
                                    + conflict.getMessage(),
                            conflict);
                }
            }
            pause(done);
        }
    }

    private static final class Try {
        @Nullable
        Dialect dialect;
    }

    /** Returns the conflict among an exception and its causes, or null. Frameworks may wrap the driver's exception. */
    private static @Nullable SQLException conflict(@Nullable Dialect dialect, Exception error) {
        Throwable cause = error;
        for (int depth = 0; dialect != null && cause != null && depth < MAX_CAUSES; depth++) {
            if (cause instanceof CommitUnknownException) {
                return null;
            }
            if (cause instanceof SQLException sql
                    && (CallerTransaction.isConflict(dialect, sql) || CallerTransaction.isBusy(dialect, sql))) {
                return sql;
            }
            cause = cause.getCause();
        }
        return null;
    }

    private static void pause(int done) {
        long maxMillis = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(done, 10));
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(maxMillis + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException("Interrupted before a transaction was retried; nothing was committed");
        }
    }
}
