package dev.interlock.transactions;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Rejects stale writes to a database. A table beside the data stores the highest fencing token of each lock, and a
 * transaction with a lower token is refused.
 *
 * <pre>{@code
 * static final JdbcFence FENCE = JdbcFence.inTable();   // the table interlock_fence
 *
 * FENCE.raise(connection, lease);                       // before you read: refuses stale writes from now on
 * int left = read(connection, sku);
 * write(connection, sku, left - 1);
 * connection.commit();
 * }</pre>
 *
 * <p><b>Use.</b> The order is <em>raise, read, write with check</em>. If all work is in one transaction, {@link
 * #raise} at its beginning is enough. If the work spans several transactions, raise in the first one before it reads,
 * and {@link #check} in each one that writes. Both methods lock the fence's row until the transaction ends, so no
 * newer holder can raise the fence between them and the commit. The lock can be in any store.
 *
 * <p><b>Rules.</b> They are those of {@link dev.interlock.lock.FenceGuard}. The stored token never decreases. An
 * equal token passes for the same owner only. Exclusive leases raise the fence; a shared lease passes while no newer
 * token was raised; permits are refused.
 *
 * <p><b>Isolation.</b> Every isolation level is safe, except REPEATABLE READ on H2, which is refused. A transaction
 * whose snapshot is older than the latest fenced write gets {@link ConflictException} instead of old data. That
 * happens in REPEATABLE READ if the transaction reads before it raises the fence.
 *
 * <p><b>Failures.</b> After any exception, roll back. After {@link StaleTokenException} stop: the lock has a newer
 * holder. After {@link ConflictException} retry the transaction. {@link LockTimeoutException} means that another
 * transaction kept the row locked for 30 seconds, or for the database's own limit if that is shorter. If the
 * connection is lost, the database rolls back. An interrupt does not cancel a statement.
 *
 * <p><b>Costs.</b> A raise is one statement on PostgreSQL, and usually one to four on the other databases. Rows are
 * never deleted, because a missing row rejects no token: the table has one row for each lock that was ever fenced.
 *
 * <p>Immutable and thread-safe; a connection is not.
 *
 * @since 0.1.0
 */
public final class JdbcFence {
    private static final String TABLE = "interlock_fence";

    private final FenceTable table;

    private JdbcFence(FenceTable table) {
        this.table = table;
    }

    /** Returns a fence that stores its tokens in the table {@code interlock_fence}. */
    public static JdbcFence inTable() {
        return inTable(TABLE);
    }

    /**
     * Returns a fence that stores its tokens in another table with the same columns.
     *
     * <p>Use one table per store and namespace. Tokens of different stores or namespaces cannot be compared, but the
     * same lock name in both would share a row.
     *
     * @param table the table name, with an optional schema
     */
    public static JdbcFence inTable(String table) {
        return new JdbcFence(new FenceTable(SqlNames.table(table)));
    }

    /**
     * Creates the table if it does not exist, on a new connection. For tests and small applications. Elsewhere, add
     * {@code dev/interlock/transactions/<database>/fence.sql} from the jar to the schema migrations.
     */
    public void createSchemaIfMissing(DataSource source) throws SQLException {
        Objects.requireNonNull(source, "source is null: pass the data source of the data");
        try (Connection connection = source.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            table.create(connection);
            connection.setAutoCommit(autoCommit);
        }
    }

    /**
     * Raises the fence to the token of this lease and locks it until the transaction ends. Call it before you read
     * the data that the lock protects.
     *
     * @throws StaleTokenException if the fence has a newer token; the lock has had a newer holder
     * @throws ConflictException if the transaction must be retried
     * @throws IllegalArgumentException if the lease is not exclusive
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void raise(Connection connection, Lease lease) throws SQLException {
        FenceRules.requireExclusive(lease, "raise a fence");
        run(connection, lease, dialect -> table.advance(connection, dialect, lease, true));
    }

    /**
     * Checks that the fence has no newer token than this lease, and keeps it so until the transaction ends. Call it
     * in every transaction that writes, before or after the write. With a shared lease, call it before you read.
     *
     * @throws StaleTokenException if the fence has a newer token; roll back
     * @throws ConflictException if the transaction must be retried
     * @throws IllegalArgumentException if the lease holds permits
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void check(Connection connection, Lease lease) throws SQLException {
        FenceRules.refusePermits(lease);
        run(connection, lease, dialect -> {
            if (lease.mode() == LockMode.EXCLUSIVE) {
                table.advance(connection, dialect, lease, false);
            } else {
                table.share(connection, dialect, lease);
            }
        });
    }

    /**
     * Raises the fence like {@link #raise(Connection, Lease)}, and first checks that the lease is on the right lock.
     * For code that receives the lease as an argument.
     *
     * @param key the lock that protects the data
     * @throws StaleTokenException if the fence has a newer token; the lock has had a newer holder
     * @throws ConflictException if the transaction must be retried
     * @throws IllegalArgumentException if the lease is on another lock or is not exclusive; no statement was sent
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void raise(Connection connection, Lease lease, LockKey key) throws SQLException {
        FenceRules.requireKey(lease, key);
        raise(connection, lease);
    }

    /**
     * Checks the fence like {@link #check(Connection, Lease)}, and first checks that the lease is on the right lock.
     * For code that receives the lease as an argument.
     *
     * @param key the lock that protects the data
     * @throws StaleTokenException if the fence has a newer token; roll back
     * @throws ConflictException if the transaction must be retried
     * @throws IllegalArgumentException if the lease is on another lock or holds permits; no statement was sent
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void check(Connection connection, Lease lease, LockKey key) throws SQLException {
        FenceRules.requireKey(lease, key);
        check(connection, lease);
    }

    private interface Step {
        void run(Dialect dialect) throws SQLException;
    }

    private static void run(Connection connection, Lease lease, Step step) throws SQLException {
        Dialect dialect = CallerTransaction.dialect(connection, "The fence of \"" + lease.key() + "\"");
        if (dialect == Dialect.H2 && connection.getTransactionIsolation() == Connection.TRANSACTION_REPEATABLE_READ) {
            throw new IllegalStateException(
                    "H2 in REPEATABLE READ takes a separate snapshot of each table, so the fence of \"" + lease.key()
                            + "\" cannot detect an old snapshot of the data: use READ COMMITTED or SERIALIZABLE");
        }
        try {
            step.run(dialect);
        } catch (SQLException e) {
            throw CallerTransaction.translated(dialect, "The fence of \"" + lease.key() + "\"", e);
        }
    }

    @Override
    public String toString() {
        return "JdbcFence(" + table.name() + ")";
    }
}
