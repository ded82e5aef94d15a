package dev.interlock.transactions;

import dev.interlock.lock.LockTimeoutException;
import dev.interlock.transactions.internal.Dialect;
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
 * Locks rows of the application's own table until the caller's transaction ends. Rows are always locked in the same
 * order, so two transactions that list the same rows in different orders do not deadlock.
 *
 * <pre>{@code
 * static final RowLocks<Long> SEATS = RowLocks.in("seat", "id");
 *
 * Set<Long> locked = SEATS.lock(connection, seats, Duration.ofSeconds(2));   // waits for locked rows
 * Optional<Set<Long>> all = SEATS.tryLock(connection, seats);                // empty if a row is locked
 * Set<Long> available = SEATS.lockAvailable(connection, seats);              // skips locked rows
 * }</pre>
 *
 * <p>Use it for short work on existing rows of one database. There is no lease: the locks end with the transaction.
 * If the connection is lost, the database rolls back and releases them. An id without a row locks nothing, except
 * that in REPEATABLE READ on MySQL and MariaDB no other transaction can insert that id.
 *
 * <p><b>Order.</b> PostgreSQL locks all rows in one statement, ordered by the id column. The other databases lock row
 * by row in the order of the ids. Strings are first compared ignoring case, as most collations of these databases do.
 * The id column must be the primary key or have a unique index. The order is that of one call: several calls in one
 * transaction can deadlock unless they follow the same order. The database then aborts one transaction, with {@link
 * ConflictException}.
 *
 * <p><b>Locked rows.</b> A row that is locked by another transaction leads to a result or {@link
 * LockTimeoutException}, never to an {@code SQLException}, and the transaction can continue. On PostgreSQL, {@code
 * lock} and {@code tryLock} have then locked no rows. On the other databases, the rows before the locked one stay
 * locked until the transaction ends.
 *
 * <p>An interrupt does not end a wait; {@code waitAtMost} does.
 *
 * <p>Immutable and thread-safe; a connection is not.
 *
 * @param <I> the type of the ids: {@link String}, {@link Integer}, {@link Long} or {@link UUID}
 * @since 0.1.0
 */
public final class RowLocks<I extends Comparable<? super I>> {
    /** The maximum number of rows per call. */
    public static final int MAX_ROWS = 1_000;

    private static final Duration MAX_WAIT = Duration.ofHours(24);

    /** What a statement does with rows that are locked. */
    private enum LockedRows {
        WAIT(""),
        NOWAIT(" NOWAIT"),
        SKIP_LOCKED(" SKIP LOCKED");

        final String clause;

        LockedRows(String clause) {
            this.clause = clause;
        }
    }

    private final String table;
    private final String id;

    private RowLocks(String table, String id) {
        this.table = table;
        this.id = id;
    }

    /**
     * Returns locks on rows of a table.
     *
     * @param table the table name, with an optional schema
     * @param idColumn the primary key, or a column with a unique index
     */
    public static <I extends Comparable<? super I>> RowLocks<I> in(String table, String idColumn) {
        return new RowLocks<>(SqlNames.table(table), SqlNames.column(idColumn));
    }

    /**
     * Locks all of these rows that exist, and waits for those that are locked.
     *
     * @param waitAtMost the maximum wait for all rows together, 0 to 24 hours; rounded up to seconds on MySQL and
     *     MariaDB
     * @return the ids that have a row, in the order in which the rows were locked
     * @throws LockTimeoutException if a row stayed locked
     * @throws ConflictException if the database aborted this transaction to resolve a deadlock, or if its snapshot is
     *     too old; retry it
     * @throws IllegalArgumentException if there are no ids or more than {@value #MAX_ROWS}, if an id has an unsupported
     *     type, or if {@code waitAtMost} is out of range
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public Set<I> lock(Connection connection, Collection<I> ids, Duration waitAtMost) throws SQLException {
        Objects.requireNonNull(waitAtMost, "waitAtMost is null: pass the maximum wait");
        if (waitAtMost.isNegative() || waitAtMost.compareTo(MAX_WAIT) > 0) {
            throw new IllegalArgumentException("waitAtMost is " + waitAtMost + ": choose 0 to 24 hours");
        }
        List<I> wanted = ordered(ids);
        Dialect dialect = CallerTransaction.dialect(connection, "A lock on rows of " + table);
        return waitAtMost.isZero()
                ? lockNow(connection, dialect, wanted, LockedRows.NOWAIT).orElseThrow(() -> timedOut(waitAtMost))
                : lockWithin(connection, dialect, wanted, waitAtMost).orElseThrow(() -> timedOut(waitAtMost));
    }

    /**
     * Locks all of these rows that exist, if none of them is locked. Does not wait.
     *
     * @return the ids that have a row, in the order in which the rows were locked; empty if a row is locked
     * @throws ConflictException if the snapshot of this transaction is too old; retry it
     * @throws IllegalArgumentException as for {@link #lock}
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public Optional<Set<I>> tryLock(Connection connection, Collection<I> ids) throws SQLException {
        List<I> wanted = ordered(ids);
        return lockNow(
                connection,
                CallerTransaction.dialect(connection, "A lock on rows of " + table),
                wanted,
                LockedRows.NOWAIT);
    }

    /**
     * Locks those of these rows that exist and are not locked. Does not wait.
     *
     * @return the ids of the rows that this call has locked, in the order in which they were locked
     * @throws ConflictException if the snapshot of this transaction is too old; retry it
     * @throws IllegalArgumentException as for {@link #lock}
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public Set<I> lockAvailable(Connection connection, Collection<I> ids) throws SQLException {
        List<I> wanted = ordered(ids);
        Dialect dialect = CallerTransaction.dialect(connection, "A lock on rows of " + table);
        return lockNow(connection, dialect, wanted, LockedRows.SKIP_LOCKED).orElseThrow(() -> timedOut(Duration.ZERO));
    }

    private List<I> ordered(Collection<I> ids) {
        Objects.requireNonNull(ids, "ids is null: pass the ids of the rows");
        Set<I> distinct = new LinkedHashSet<>(ids);
        if (distinct.isEmpty() || distinct.size() > MAX_ROWS) {
            throw new IllegalArgumentException(
                    distinct.size() + " rows of " + table + " to lock: pass 1 to " + MAX_ROWS);
        }
        List<I> ordered = new ArrayList<>(distinct);
        for (I each : ordered) {
            Objects.requireNonNull(each, "One of the ids is null");
            if (!(each instanceof String || each instanceof Integer || each instanceof Long || each instanceof UUID)) {
                throw new IllegalArgumentException(
                        "An id of type " + each.getClass().getName()
                                + ": use String, Integer, Long or UUID, which have a defined order");
            }
        }
        ordered.sort(order());
        return ordered;
    }

    private static <I extends Comparable<? super I>> Comparator<I> order() {
        Comparator<I> ignoringCase =
                (a, b) -> a instanceof String one && b instanceof String two ? one.compareToIgnoreCase(two) : 0;
        return ignoringCase.thenComparing(Comparator.naturalOrder());
    }

    private LockTimeoutException timedOut(Duration waitAtMost) {
        return new LockTimeoutException("Another transaction has locked one of the rows of " + table
                + (waitAtMost.isZero() ? "" : " for longer than " + waitAtMost) + ". Try again later, or wait longer");
    }

    /** Returns empty if a row stayed locked. */
    private Optional<Set<I>> lockWithin(Connection connection, Dialect dialect, List<I> wanted, Duration waitAtMost)
            throws SQLException {
        return withSavepoint(connection, dialect, () -> {
            long end = System.nanoTime() + waitAtMost.toNanos();
            try (LockWaitTimeout timeout = new LockWaitTimeout(connection, dialect)) {
                if (dialect == Dialect.POSTGRESQL) {
                    timeout.set(waitAtMost);
                    return lockAll(connection, wanted, LockedRows.WAIT);
                }
                Set<I> found = new LinkedHashSet<>();
                for (I each : wanted) {
                    long left = end - System.nanoTime();
                    if (left > 0) {
                        timeout.set(Duration.ofNanos(left));
                    }
                    // When the time is over, rows that are not locked can still be locked.
                    lockOne(connection, dialect, each, left > 0 ? LockedRows.WAIT : LockedRows.NOWAIT, found);
                }
                return found;
            }
        });
    }

    /** Returns empty if a row is locked and {@code lockedRows} is NOWAIT. */
    private Optional<Set<I>> lockNow(Connection connection, Dialect dialect, List<I> wanted, LockedRows lockedRows)
            throws SQLException {
        return withSavepoint(connection, dialect, () -> {
            if (dialect == Dialect.POSTGRESQL) {
                return lockAll(connection, wanted, lockedRows);
            }
            Set<I> found = new LinkedHashSet<>();
            for (I each : wanted) {
                lockOne(connection, dialect, each, lockedRows, found);
            }
            return found;
        });
    }

    private interface Step<T> {
        T run() throws SQLException;
    }

    /**
     * Returns empty if a row is locked. In PostgreSQL a failed statement aborts the transaction, unless it can roll
     * back to a savepoint.
     */
    private <T> Optional<T> withSavepoint(Connection connection, Dialect dialect, Step<T> step) throws SQLException {
        Savepoint savepoint = dialect == Dialect.POSTGRESQL ? connection.setSavepoint() : null;
        T result;
        try {
            result = step.run();
        } catch (SQLException e) {
            if (savepoint != null) {
                rollBack(connection, savepoint, e);
            }
            if (CallerTransaction.isBusy(dialect, e)) {
                return Optional.empty();
            }
            throw CallerTransaction.translated(dialect, "A row of " + table, e);
        }
        if (savepoint != null) {
            connection.releaseSavepoint(savepoint);
        }
        return Optional.of(result);
    }

    private static void rollBack(Connection connection, Savepoint savepoint, SQLException failure) {
        try {
            connection.rollback(savepoint);
            connection.releaseSavepoint(savepoint);
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Locks all rows in one statement. PostgreSQL sorts first and then locks, so ORDER BY is the order of the locks.
     */
    private Set<I> lockAll(Connection connection, List<I> wanted, LockedRows lockedRows) throws SQLException {
        String sql = "SELECT wanted.place FROM unnest(?) WITH ORDINALITY AS wanted (id, place)"
                + " JOIN " + table + " AS found ON found." + id + " = wanted.id"
                + " ORDER BY found." + id + " FOR UPDATE OF found" + lockedRows.clause;
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

    private void lockOne(Connection connection, Dialect dialect, I wanted, LockedRows lockedRows, Set<I> found)
            throws SQLException {
        String sql = "SELECT 1 FROM " + table + " WHERE " + id + " = ? FOR UPDATE" + lockedRows.clause;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            CallerTransaction.bind(statement, 1, wanted, dialect);
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
