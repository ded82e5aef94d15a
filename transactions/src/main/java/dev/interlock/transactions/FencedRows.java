package dev.interlock.transactions;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Rejects stale writes to rows of the application's own table. One more column of the table stores the highest fencing
 * token of each row.
 *
 * <pre>{@code
 * static final FencedRows<String> STOCK = FencedRows.in("stock").id("sku").fence("fence")
 *         .lockedBy(sku -> LockKey.of("inventory", sku));
 *
 * STOCK.raise(connection, lease, sku);   // before you read the row
 * int left = read(connection, sku);
 * // UPDATE stock SET available = ?, fence = ? WHERE sku = ? AND fence <= ?
 * STOCK.update(connection, lease, sku, Map.of("available", left - 1));
 * connection.commit();
 * }</pre>
 *
 * <p><b>The table.</b> The id column must be the primary key or have a unique index. The fence column is a {@code
 * BIGINT}; rows that were never fenced have {@code NULL} or 0 in it. There is no owner column, because every grant of
 * a lock has its own token.
 *
 * <p><b>The lock.</b> One lock protects each row, and {@code lockedBy} says which. A lease on another lock is refused
 * before any statement is sent, because tokens of different locks cannot be compared.
 *
 * <p>Only the row is protected. To protect data in other tables, use {@link JdbcFence}, or call {@link #check} before
 * the other statements of the same transaction. Rules, isolation and failures are those of {@code JdbcFence}: after
 * any exception, roll back.
 *
 * <p>Immutable and thread-safe; a connection is not.
 *
 * @param <I> the type of the ids: a string, a number, a UUID, or another type that the driver can bind
 * @since 0.1.0
 */
public final class FencedRows<I> {
    private static final int MAX_COLUMNS = 500;

    private final String table;
    private final String id;
    private final String fence;
    private final Function<? super I, LockKey> lock;

    private FencedRows(String table, String id, String fence, Function<? super I, LockKey> lock) {
        this.table = table;
        this.id = id;
        this.fence = fence;
        this.lock = lock;
    }

    /**
     * Starts the definition of fenced rows.
     *
     * @param table the table name, with an optional schema
     */
    public static Definition in(String table) {
        return new Definition(SqlNames.table(table), "id", "fence");
    }

    /**
     * The columns of a fenced table. The defaults are {@code id} and {@code fence}.
     *
     * @since 0.1.0
     */
    public static final class Definition {
        private final String table;
        private final String id;
        private final String fence;

        private Definition(String table, String id, String fence) {
            this.table = table;
            this.id = id;
            this.fence = fence;
        }

        /** Sets the column that identifies a row: the primary key, or a column with a unique index. */
        public Definition id(String column) {
            return new Definition(table, SqlNames.column(column), fence);
        }

        /** Sets the column that stores the highest token. */
        public Definition fence(String column) {
            return new Definition(table, id, SqlNames.column(column));
        }

        /** Completes the definition with the function that returns the lock of a row, given its id. */
        public <I> FencedRows<I> lockedBy(Function<? super I, LockKey> lock) {
            return new FencedRows<>(
                    table,
                    id,
                    fence,
                    Objects.requireNonNull(lock, "lock is null: pass a function from the id of a row to its lock"));
        }
    }

    /**
     * Raises the fence of the row to the token of this lease and locks the row until the transaction ends. Call it
     * before you read the row.
     *
     * @throws StaleTokenException if the row has a newer token; the lock has had a newer holder
     * @throws ConflictException if the transaction must be retried
     * @throws LockRefusedException if the row does not exist
     * @throws IllegalArgumentException if the lease is not exclusive or is on another lock
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void raise(Connection connection, Lease lease, I id) throws SQLException {
        FenceRules.requireExclusive(lease, "raise a fence");
        write(connection, lease, id, Map.of());
    }

    /**
     * Checks that the row has no newer token than this lease, and keeps it so until the transaction ends. With a shared
     * lease, call it before you read.
     *
     * @throws StaleTokenException if the row has a newer token; roll back
     * @throws ConflictException if the transaction must be retried
     * @throws LockRefusedException if the row does not exist
     * @throws IllegalArgumentException if the lease holds permits or is on another lock
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void check(Connection connection, Lease lease, I id) throws SQLException {
        FenceRules.refusePermits(lease);
        if (lease.mode() == LockMode.EXCLUSIVE) {
            write(connection, lease, id, Map.of());
            return;
        }
        run(connection, lease, id, dialect -> {
            String clause =
                    dialect == Dialect.H2 ? "FOR UPDATE" : dialect.isMySql() ? "LOCK IN SHARE MODE" : "FOR SHARE";
            refuseIfStale(lease, lockToken(connection, dialect, id, clause));
        });
    }

    /**
     * Updates columns of the row if it has no newer token than this lease. Check and update are one statement.
     *
     * @param values the new values, by column name
     * @throws StaleTokenException if the row has a newer token; the row was not changed
     * @throws ConflictException if the transaction must be retried
     * @throws LockRefusedException if the row does not exist
     * @throws IllegalArgumentException if the lease is not exclusive or is on another lock, if there are no columns
     *     or more than 500, or if one of them is the id or fence column
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void update(Connection connection, Lease lease, I id, Map<String, ?> values) throws SQLException {
        FenceRules.requireExclusive(lease, "write");
        Objects.requireNonNull(values, "values is null: pass the new values, by column name");
        if (values.isEmpty() || values.size() > MAX_COLUMNS) {
            throw new IllegalArgumentException(values.size() + " columns to update in " + table + ": pass 1 to "
                    + MAX_COLUMNS + ", or call check if there is nothing to update");
        }
        for (String column : values.keySet()) {
            if (SqlNames.column(column).equalsIgnoreCase(fence) || column.equalsIgnoreCase(this.id)) {
                throw new IllegalArgumentException(
                        "Column " + column + " of " + table + " cannot be updated: the fence uses it");
            }
        }
        write(connection, lease, id, values);
    }

    private void write(Connection connection, Lease lease, I id, Map<String, ?> values) throws SQLException {
        run(connection, lease, id, dialect -> {
            if (tryUpdate(connection, dialect, lease, id, values)) {
                return;
            }
            refuseIfStale(lease, lockToken(connection, dialect, id, "FOR UPDATE"));
            // The row is locked and its token is not newer. Either it was inserted only now, or it already had these
            // values and the driver counts changed rows only.
            tryUpdate(connection, dialect, lease, id, values);
        });
    }

    private boolean tryUpdate(Connection connection, Dialect dialect, Lease lease, I id, Map<String, ?> values)
            throws SQLException {
        List<String> columns = new ArrayList<>(values.keySet());
        StringBuilder sql = new StringBuilder("UPDATE " + table + " SET ");
        columns.forEach(column -> sql.append(column).append(" = ?, "));
        sql.append(fence).append(" = ? WHERE ").append(this.id).append(" = ? AND (");
        sql.append(fence).append(" IS NULL OR ").append(fence).append(" <= ?)");
        try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
            statement.setQueryTimeout(FenceTable.MAX_WAIT_SECONDS);
            int index = 1;
            for (String column : columns) {
                CallerTransaction.bind(statement, index++, values.get(column), dialect);
            }
            statement.setLong(index++, lease.token().value());
            CallerTransaction.bind(statement, index++, id, dialect);
            statement.setLong(index, lease.token().value());
            int rows = statement.executeUpdate();
            if (rows > 1) {
                throw new LockRefusedException(rows + " rows of " + table + " have the same " + this.id
                        + ": the column must be unique. Roll back");
            }
            return rows == 1;
        }
    }

    /** Locks the row and returns its token, or empty if the row was never fenced. */
    private OptionalLong lockToken(Connection connection, Dialect dialect, I id, String clause) throws SQLException {
        String sql = "SELECT " + fence + " FROM " + table + " WHERE " + this.id + " = ? " + clause;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(FenceTable.MAX_WAIT_SECONDS);
            CallerTransaction.bind(statement, 1, id, dialect);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new LockRefusedException("Table " + table + " has no row for \"" + lock.apply(id)
                            + "\": insert the row first, with the token of the lease in " + fence);
                }
                long token = row.getLong(1);
                return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(token);
            }
        }
    }

    private static void refuseIfStale(Lease lease, OptionalLong seen) {
        if (seen.isPresent() && seen.getAsLong() > lease.token().value()) {
            throw new StaleTokenException(lease.key(), lease.token(), new FencingToken(seen.getAsLong()));
        }
    }

    private interface Step {
        void run(Dialect dialect) throws SQLException;
    }

    private void run(Connection connection, Lease lease, I id, Step step) throws SQLException {
        Objects.requireNonNull(id, "id is null: pass the id of the row");
        LockKey expected = lock.apply(id);
        if (!expected.equals(lease.key())) {
            throw new IllegalArgumentException("A lease on \"" + lease.key() + "\" cannot fence this row of " + table
                    + ", which is protected by \"" + expected + "\": tokens of different locks cannot be compared");
        }
        String what = "The row of \"" + expected + "\" in " + table;
        Dialect dialect = CallerTransaction.dialect(connection, what);
        try {
            step.run(dialect);
        } catch (SQLException e) {
            throw CallerTransaction.translated(dialect, what, e);
        }
    }

    @Override
    public String toString() {
        return "FencedRows(" + table + "." + fence + ")";
    }
}
