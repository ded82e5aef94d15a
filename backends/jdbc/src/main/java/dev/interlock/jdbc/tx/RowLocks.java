package dev.interlock.jdbc.tx;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockTimeoutException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Locks rows of the application's own table until its transaction ends, always in one order, so that two transactions that name the same
 * rows in different orders never wait for each other.
 *
 * <pre>{@code
 * static final RowLocks<Long> SEATS = RowLocks.in("seat", "id");
 *
 * Set<Long> found = SEATS.lock(connection, List.of(17L, 4L), Duration.ofSeconds(2));   // waits; those that exist are ours until the end
 * Optional<Set<Long>> now = SEATS.tryLock(connection, seats);                          // empty: somebody has one of them
 * Set<Long> free = SEATS.lockFree(connection, seats);                                  // leaves out what somebody has
 * }</pre>
 *
 * <p>For short work on rows that exist, inside one database. There is no lease: the lock lasts as long as the transaction, and ends with it
 * or with the connection. Ids that have no row lock nothing (in REPEATABLE READ on MySQL and MariaDB nobody can insert them meanwhile).
 *
 * <p>PostgreSQL locks in the order of its index, in one statement; the others are asked row by row in the order of the ids, where strings
 * are ordered without regard to case first, as most of their tables compare them. The id column must be the primary key or unique. One call
 * has one order; several calls in one transaction should follow it too, or a deadlock is possible, which the database ends as
 * {@link ConflictException}.
 *
 * <p><b>Busy</b> is an answer or {@link LockTimeoutException}, never an {@code SQLException}, and the transaction can go on. On PostgreSQL
 * nothing stays locked then, on the others rows that came before the busy one stay locked until the transaction ends.
 *
 * <p>Immutable and thread-safe; a connection is not. When the connection is lost, the database rolls back and frees the rows. An interrupt
 * does not end a wait; the patience does.
 *
 * @param <I> the type of the ids: {@link String}, {@link Integer}, {@link Long} or {@link UUID}
 */
public final class RowLocks<I extends Comparable<? super I>> {
    /** How many rows one call locks at the most. */
    public static final int MOST_ROWS = 1_000;

    private static final Duration LONGEST_WAIT = Duration.ofHours(24);

    private enum Manner {
        WAIT(""),
        NOWAIT(" NOWAIT"),
        SKIP_LOCKED(" SKIP LOCKED");

        final String clause;

        Manner(String clause) {
            this.clause = clause;
        }
    }

    private final String table;
    private final String id;

    private RowLocks(String table, String id) {
        this.table = table;
        this.id = id;
    }

    /** The rows of a table (with its schema if needed), identified by this column. */
    public static <I extends Comparable<? super I>> RowLocks<I> in(String table, String idColumn) {
        return new RowLocks<>(SqlNames.table(table), SqlNames.column(idColumn));
    }

    /**
     * Locks all of these rows that exist, and waits for those that somebody has.
     *
     * @param patience how long to wait for all of them together, up to 24 hours; rounded up to seconds on MySQL and MariaDB
     * @return the ids that have a row, in the order in which they were locked
     * @throws LockTimeoutException if one stayed locked
     * @throws ConflictException if the database chose this transaction to end a deadlock, or its snapshot is too old; do it again
     * @throws IllegalArgumentException if there are no ids, more than {@value #MOST_ROWS}, or ids of another type
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public Set<I> lock(Connection connection, Collection<I> ids, Duration patience) throws SQLException {
        Objects.requireNonNull(patience, "patience is null: say how long to wait");
        if (patience.isNegative() || patience.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("A wait of " + patience + ": choose 0 to 24 hours");
        }
        List<I> wanted = ordered(ids);
        Dialect dialect = InTransaction.dialect(connection, "A lock on rows of " + table);
        return patience.isZero()
                ? asked(connection, dialect, wanted, Manner.NOWAIT).orElseThrow(() -> busy(patience))
                : waited(connection, dialect, wanted, patience).orElseThrow(() -> busy(patience));
    }

    /**
     * Locks all of these rows that exist, if nobody has any of them.
     *
     * @return the ids that have a row, in the order in which they were locked; empty if somebody has one
     * @throws ConflictException if the snapshot of this transaction is too old; do it again
     * @throws IllegalArgumentException as for {@link #lock}
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public Optional<Set<I>> tryLock(Connection connection, Collection<I> ids) throws SQLException {
        List<I> wanted = ordered(ids);
        return asked(
                connection, InTransaction.dialect(connection, "A lock on rows of " + table), wanted, Manner.NOWAIT);
    }

    /**
     * Locks those of these rows that exist and that nobody has.
     *
     * @return the ids that are locked now, in the order in which they were locked
     * @throws ConflictException if the snapshot of this transaction is too old; do it again
     * @throws IllegalArgumentException as for {@link #lock}
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public Set<I> lockFree(Connection connection, Collection<I> ids) throws SQLException {
        List<I> wanted = ordered(ids);
        Dialect dialect = InTransaction.dialect(connection, "A lock on rows of " + table);
        return asked(connection, dialect, wanted, Manner.SKIP_LOCKED).orElseThrow(() -> busy(Duration.ZERO));
    }

    private List<I> ordered(Collection<I> ids) {
        Objects.requireNonNull(ids, "ids is null: say which rows");
        Set<I> distinct = new LinkedHashSet<>(ids);
        if (distinct.isEmpty() || distinct.size() > MOST_ROWS) {
            throw new IllegalArgumentException(
                    distinct.size() + " rows of " + table + " to lock: give 1 to " + MOST_ROWS);
        }
        List<I> ordered = new ArrayList<>(distinct);
        for (I each : ordered) {
            Objects.requireNonNull(each, "One of the ids is null");
            if (!(each instanceof String || each instanceof Integer || each instanceof Long || each instanceof UUID)) {
                throw new IllegalArgumentException("An id of " + each.getClass()
                        + ": use String, Integer, Long or UUID, for which the order is known");
            }
        }
        ordered.sort(order());
        return ordered;
    }

    private static <I extends Comparable<? super I>> Comparator<I> order() {
        Comparator<I> withoutCase =
                (a, b) -> a instanceof String one && b instanceof String two ? one.compareToIgnoreCase(two) : 0;
        return withoutCase.thenComparing(Comparator.naturalOrder());
    }

    private LockTimeoutException busy(Duration patience) {
        return new LockTimeoutException("Another transaction has one of the rows of " + table + " and kept it"
                + (patience.isZero() ? "" : " for longer than " + patience) + ". Try later, or wait longer");
    }

    /** Empty if it stayed busy. */
    private Optional<Set<I>> waited(Connection connection, Dialect dialect, List<I> wanted, Duration patience)
            throws SQLException {
        return undoable(connection, dialect, () -> {
            long end = System.nanoTime() + patience.toNanos();
            try (LockWait wait = new LockWait(connection, dialect)) {
                if (dialect == Dialect.POSTGRESQL) {
                    wait.atMost(patience);
                    return allAtOnce(connection, wanted, Manner.WAIT);
                }
                Set<I> found = new LinkedHashSet<>();
                for (I each : wanted) {
                    long left = end - System.nanoTime();
                    if (left > 0) {
                        wait.atMost(Duration.ofNanos(left));
                    }
                    // When the patience is over, what nobody has may still be taken.
                    one(connection, dialect, each, left > 0 ? Manner.WAIT : Manner.NOWAIT, found);
                }
                return found;
            }
        });
    }

    /** Empty if it is busy. */
    private Optional<Set<I>> asked(Connection connection, Dialect dialect, List<I> wanted, Manner manner)
            throws SQLException {
        return undoable(connection, dialect, () -> {
            if (dialect == Dialect.POSTGRESQL) {
                return allAtOnce(connection, wanted, manner);
            }
            Set<I> found = new LinkedHashSet<>();
            for (I each : wanted) {
                one(connection, dialect, each, manner, found);
            }
            return found;
        });
    }

    private interface Step<T> {
        T take() throws SQLException;
    }

    /** PostgreSQL gives up a whole transaction when a statement fails, unless there is a point to go back to. */
    private <T> Optional<T> undoable(Connection connection, Dialect dialect, Step<T> step) throws SQLException {
        Savepoint before = dialect == Dialect.POSTGRESQL ? connection.setSavepoint() : null;
        T done;
        try {
            done = step.take();
        } catch (SQLException e) {
            if (before != null) {
                undo(connection, before, e);
            }
            if (InTransaction.isBusy(dialect, e)) {
                return Optional.empty();
            }
            throw InTransaction.translated(dialect, "A row of " + table, e);
        }
        if (before != null) {
            connection.releaseSavepoint(before);
        }
        return Optional.of(done);
    }

    private static void undo(Connection connection, Savepoint before, SQLException why) {
        try {
            connection.rollback(before);
            connection.releaseSavepoint(before);
        } catch (SQLException e) {
            why.addSuppressed(e);
        }
    }

    /** PostgreSQL sorts first and locks what comes out of that, so this is the order of the locks. */
    private Set<I> allAtOnce(Connection connection, List<I> wanted, Manner manner) throws SQLException {
        String sql = "SELECT wanted.place FROM unnest(?) WITH ORDINALITY AS wanted (id, place)"
                + " JOIN " + table + " AS found ON found." + id + " = wanted.id"
                + " ORDER BY found." + id + " FOR UPDATE OF found" + manner.clause;
        Object first = wanted.get(0);
        Array ids = connection.createArrayOf(
                first instanceof String ? "text" : first instanceof UUID ? "uuid" : "bigint", wanted.toArray());
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, ids);
            Set<I> found = new LinkedHashSet<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.add(wanted.get(row.getInt(1) - 1));
                }
            }
            return Collections.unmodifiableSet(found);
        } finally {
            ids.free();
        }
    }

    private void one(Connection connection, Dialect dialect, I wanted, Manner manner, Set<I> found)
            throws SQLException {
        String sql = "SELECT 1 FROM " + table + " WHERE " + id + " = ? FOR UPDATE" + manner.clause;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            InTransaction.bind(statement, 1, wanted, dialect);
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    found.add(wanted);
                }
            }
        }
    }

    @Override
    public String toString() {
        return "RowLocks(" + table + "." + id + ")";
    }
}
