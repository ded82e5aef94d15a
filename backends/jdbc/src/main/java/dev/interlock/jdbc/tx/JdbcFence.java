package dev.interlock.jdbc.tx;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * The resource's side of fencing for data in a database: remembers the highest token of each lock in a table beside the data, and refuses
 * lower ones in the caller's own transaction.
 *
 * <pre>{@code
 * static final JdbcFence FENCE = JdbcFence.inTable();      // the table interlock_fence
 *
 * FENCE.raise(connection, lease);                          // before reading: from now on a late write of the predecessor is refused
 * int left = read(connection, sku);
 * write(connection, sku, left - 1);
 * connection.commit();                                     // the fence has been ours since raise
 * }</pre>
 *
 * <p>The rule is <em>raise, read, write with check</em>. Both {@link #raise} and {@link #check} lock the lock's row in the table until the
 * transaction ends, so no newer token is seen between them and the commit. In one transaction {@code raise} is enough; work that
 * spans several raises in the first one, before it reads, and checks in each one that writes.
 *
 * <p>Invariants as in {@link dev.interlock.lock.FenceGuard}: the stored token never falls; an equal token passes only for the same owner;
 * only exclusive leases raise; a shared lease passes while nothing newer was raised; permits are refused. The lock may live in any store.
 *
 * <p><b>Isolation.</b> Right in every level, except that REPEATABLE READ of H2 is refused. Where the transaction reads from a snapshot that is older than the latest fenced write, which
 * happens in REPEATABLE READ if it has read anything before {@code raise}, it gets {@link ConflictException} instead of old data.
 *
 * <p><b>Failures.</b> After any exception roll back. {@link StaleTokenException}: stop. {@link ConflictException}: do the transaction
 * again. {@link LockTimeoutException}: another transaction kept the row for longer than the database or 30
 * seconds allow. When the connection is lost, the database rolls back by itself. An interrupt does not end a statement.
 *
 * <p>Immutable and thread-safe; a connection is not. Rows are never deleted: a fence that is forgotten forgets whom to refuse.
 */
public final class JdbcFence {
    private static final String TABLE = "interlock_fence";

    private final FenceTable table;

    private JdbcFence(FenceTable table) {
        this.table = table;
    }

    /** In the table {@code interlock_fence}. */
    public static JdbcFence inTable() {
        return inTable(TABLE);
    }

    /**
     * In a table of another name but the same columns, for locks whose tokens have nothing to do with those in the first: fences of one table
     * must not be raised by two stores, or two namespaces of a store, that use the same lock names.
     *
     * @param table the table, with its schema if needed
     */
    public static JdbcFence inTable(String table) {
        return new JdbcFence(new FenceTable(SqlNames.table(table)));
    }

    /**
     * Creates the table if it is not there, on a connection of its own. For tests and small applications; elsewhere a migration does it, and
     * {@code dev/interlock/jdbc/tx/<database>/fence.sql} in the jar is what it needs.
     */
    public void createSchemaIfMissing(DataSource source) throws SQLException {
        Objects.requireNonNull(source, "source is null: give the data source of the data");
        try (Connection connection = source.getConnection()) {
            boolean before = connection.getAutoCommit();
            connection.setAutoCommit(true);
            table.create(connection);
            connection.setAutoCommit(before);
        }
    }

    /**
     * Raises the fence to this lease's token, until the transaction ends; call it before reading what the lock protects.
     *
     * @throws StaleTokenException if a newer token has been seen
     * @throws ConflictException if the transaction must be done again
     * @throws IllegalArgumentException if the lease is not exclusive
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void raise(Connection connection, Lease lease) throws SQLException {
        Fences.requireExclusive(lease, "raise a fence");
        run(connection, lease, dialect -> table.advance(connection, dialect, lease, true));
    }

    /**
     * Passes if this lease may still touch the data, and keeps that true until the transaction ends; call it in the transaction of each
     * write, before or after the write. A shared lease calls it before reading.
     *
     * @throws StaleTokenException if a newer token has been seen; roll back
     * @throws ConflictException if the transaction must be done again
     * @throws IllegalArgumentException if the lease holds permits
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void check(Connection connection, Lease lease) throws SQLException {
        Fences.refusePermits(lease);
        run(connection, lease, dialect -> {
            if (lease.mode() == LockMode.EXCLUSIVE) {
                table.advance(connection, dialect, lease, false);
            } else {
                table.share(connection, dialect, lease);
            }
        });
    }

    /**
     * The same as {@link #raise(Connection, Lease)}, for code that is given a lease and knows which lock protects its data: a lease on another one is refused
     * before anything is sent.
     *
     * @param key the lock that protects the data
     * @throws IllegalArgumentException also if the lease is on another lock
     */
    public void raise(Connection connection, Lease lease, LockKey key) throws SQLException {
        Fences.requireKey(lease, key);
        raise(connection, lease);
    }

    /**
     * The same as {@link #check(Connection, Lease)}, for code that is given a lease and knows which lock protects its data: a lease on another one is refused
     * before anything is sent.
     *
     * @param key the lock that protects the data
     * @throws IllegalArgumentException also if the lease is on another lock
     */
    public void check(Connection connection, Lease lease, LockKey key) throws SQLException {
        Fences.requireKey(lease, key);
        check(connection, lease);
    }

    private interface Step {
        void take(Dialect dialect) throws SQLException;
    }

    private static void run(Connection connection, Lease lease, Step step) throws SQLException {
        Dialect dialect = InTransaction.dialect(connection, "The fence of \"" + lease.key() + "\"");
        if (dialect == Dialect.H2 && connection.getTransactionIsolation() == Connection.TRANSACTION_REPEATABLE_READ) {
            throw new IllegalStateException(
                    "H2 in REPEATABLE READ has a snapshot for each table, so the fence of \"" + lease.key()
                            + "\" cannot tell whether the data is as new as itself: use READ COMMITTED or SERIALIZABLE");
        }
        try {
            step.take(dialect);
        } catch (SQLException e) {
            throw InTransaction.translated(dialect, "The fence of \"" + lease.key() + "\"", e);
        }
    }

    @Override
    public String toString() {
        return "JdbcFence(" + table.name() + ")";
    }
}
