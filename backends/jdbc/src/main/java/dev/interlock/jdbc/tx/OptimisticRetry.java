package dev.interlock.jdbc.tx;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockInterruptedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * No lock at all: does work in a transaction of its own, and does it again when somebody else was faster. For low contention.
 *
 * <pre>{@code
 * OptimisticRetry retry = OptimisticRetry.over(dataSource);
 *
 * retry.run(connection -> {
 *     Account account = read(connection, id);                                       // with its version
 *     OptimisticRetry.mustHit(update(connection, account.withdraw(10)), "account " + id);
 *     // UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?
 * });
 * }</pre>
 *
 * <p>The work is repeated from its beginning, in a new transaction, when {@link #mustHit} found that the version had moved, or when the
 * database reported a serialization failure, a deadlock or a row that stayed locked. Between two tries there is a pause that grows and is
 * jittered. The work may run several times, so it does nothing that a rollback does not undo.
 *
 * <p><b>How it ends.</b> Plain return: committed. {@link ConflictException}: every try met somebody else, nothing was committed; take a lock
 * where this happens often. {@link CommitUnknownException}: the commit was not answered, and it was <em>not</em> tried again. What the work
 * throws otherwise passes through at once, with a rollback. An interrupt during a pause ends it with {@link LockInterruptedException};
 * the flag stays set.
 *
 * <p>Immutable and thread-safe. No connection is held during a pause.
 */
public final class OptimisticRetry {
    private static final int DEFAULT_TRIES = 8;
    private static final int MOST_TRIES = 100;
    private static final long FIRST_PAUSE_MILLIS = 4;
    private static final long LONGEST_PAUSE_MILLIS = 250;
    private static final int DEEPEST_CAUSE = 16;

    private final DataSource source;
    private final int tries;

    private OptimisticRetry(DataSource source, int tries) {
        this.source = source;
        this.tries = tries;
    }

    /** Work in a transaction; may be done several times. */
    @FunctionalInterface
    public interface Action<E extends Exception> {
        /** Does the work. Does not commit, roll back or close. */
        void run(Connection connection) throws SQLException, E;
    }

    /** Work in a transaction, with a result; may be done several times. */
    @FunctionalInterface
    public interface Function<T extends @Nullable Object, E extends Exception> {
        /** Does the work. Does not commit, roll back or close. */
        T call(Connection connection) throws SQLException, E;
    }

    /** Transactions on connections of this data source, tried at most 8 times. */
    public static OptimisticRetry over(DataSource source) {
        return new OptimisticRetry(
                Objects.requireNonNull(source, "source is null: give the data source of the data"), DEFAULT_TRIES);
    }

    /** Tries so often at the most, 1 to 100. */
    public OptimisticRetry atMost(int tries) {
        if (tries < 1 || tries > MOST_TRIES) {
            throw new IllegalArgumentException(tries + " tries: choose 1 to " + MOST_TRIES);
        }
        return new OptimisticRetry(source, tries);
    }

    /**
     * Says that a versioned update must have hit its row; call it with the update's count.
     *
     * @param rows what {@code executeUpdate} gave
     * @param what the row, for the message
     * @throws ConflictException if it hit none: the version has moved, or the row is gone
     * @throws IllegalStateException if it hit several: the statement does not name one row
     */
    public static void mustHit(int rows, String what) throws ConflictException {
        if (rows == 0) {
            throw new ConflictException(
                    "Somebody else has changed or deleted " + what + " since it was read. Read it again", null);
        }
        if (rows != 1) {
            throw new IllegalStateException(
                    "The update of " + what + " hit " + rows + " rows: its WHERE must name one row and its version");
        }
    }

    /**
     * Does the work in a transaction and commits; again if somebody else was faster.
     *
     * @throws ConflictException if every try met somebody else
     * @throws CommitUnknownException if the commit was not answered
     */
    public <E extends Exception> void run(Action<E> work) throws SQLException, E {
        Objects.requireNonNull(work, "work is null: say what to do in the transaction");
        this.<Boolean, E>call(connection -> {
            work.run(connection);
            return true;
        });
    }

    /** Like {@link #run}, and gives the result of the work. */
    public <T extends @Nullable Object, E extends Exception> T call(Function<T, E> work) throws SQLException, E {
        Objects.requireNonNull(work, "work is null: say what to do in the transaction");
        long began = System.nanoTime();
        Attempt attempt = new Attempt();
        for (int done = 1; ; done++) {
            try {
                return OwnTransaction.<T, E>call(source, connection -> {
                    attempt.dialect = Dialect.of(connection);
                    return work.call(connection);
                });
            } catch (Exception e) {
                SQLException conflict = conflict(attempt.dialect, e);
                if (conflict == null) {
                    throw e;
                }
                if (done == tries) {
                    throw new ConflictException(
                            "Gave up after " + tries + " tries in "
                                    + Duration.ofNanos(System.nanoTime() - began)
                                            .toMillis()
                                    + " ms, each of which met another transaction. Take a lock if this happens often. The last time: "
                                    + conflict.getMessage(),
                            conflict);
                }
            }
            pause(done);
        }
    }

    private static final class Attempt {
        @Nullable
        Dialect dialect;
    }

    /** What makes another try worth it; frameworks may have wrapped it. Null if nothing does. */
    private static @Nullable SQLException conflict(@Nullable Dialect dialect, Exception error) {
        Throwable cause = error;
        for (int depth = 0; dialect != null && cause != null && depth < DEEPEST_CAUSE; depth++) {
            if (cause instanceof CommitUnknownException) {
                return null;
            }
            if (cause instanceof SQLException sql
                    && (InTransaction.isConflict(dialect, sql) || InTransaction.isBusy(dialect, sql))) {
                return sql;
            }
            cause = cause.getCause();
        }
        return null;
    }

    private static void pause(int done) {
        long longest = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(done, 10));
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(longest + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    "Interrupted while waiting to do a transaction again; nothing was committed");
        }
    }
}
