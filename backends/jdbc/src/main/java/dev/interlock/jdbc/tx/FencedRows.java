package dev.interlock.jdbc.tx;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StaleTokenException;
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
 * The resource's side of fencing for rows that carry their own token, in one more column of the application's table.
 *
 * <pre>{@code
 * static final FencedRows<String> STOCK = FencedRows.in("stock").id("sku").fence("fence")
 *         .lockedBy(sku -> LockKey.of("inventory", sku));
 *
 * STOCK.raise(connection, lease, sku);                                  // before reading the row
 * int left = read(connection, sku);
 * STOCK.update(connection, lease, sku, Map.of("available", left - 1));  // … SET available = ?, fence = ? WHERE sku = ? AND fence <= ?
 * connection.commit();
 * }</pre>
 *
 * <p>Each row belongs to one lock, which {@code lockedBy} names: a lease on another key is refused before anything is sent, since its token
 * says nothing about this row. Tokens are unique per grant of one key, so an equal token is the same holder and no column for the owner is
 * needed. The column is a {@code BIGINT}, {@code NULL} or 0 in rows that were never fenced. The id column must be the primary key or unique.
 *
 * <p>What it protects is the row. Data in other tables needs {@link JdbcFence}, or the order: {@link #check} first, then any statement in
 * the same transaction. Rules, isolation and failures are those of {@code JdbcFence}: after any exception roll back.
 *
 * <p>Immutable and thread-safe; a connection is not.
 *
 * @param <I> the type of the ids: a string, a number or a UUID, or what the driver takes
 */
public final class FencedRows<I> {
    private static final int MOST_COLUMNS = 500;

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

    /** The rows of this table, with its schema if needed. */
    public static Definition in(String table) {
        return new Definition(SqlNames.table(table), "id", "fence");
    }

    /** Names of columns; {@code id} and {@code fence} if nothing else is said. */
    public static final class Definition {
        private final String table;
        private final String id;
        private final String fence;

        private Definition(String table, String id, String fence) {
            this.table = table;
            this.id = id;
            this.fence = fence;
        }

        /** The column that identifies a row: the primary key, or a unique one. */
        public Definition id(String column) {
            return new Definition(table, SqlNames.column(column), fence);
        }

        /** The column that keeps the highest token. */
        public Definition fence(String column) {
            return new Definition(table, id, SqlNames.column(column));
        }

        /** Says which lock protects the row with this id. */
        public <I> FencedRows<I> lockedBy(Function<? super I, LockKey> lock) {
            return new FencedRows<>(
                    table, id, fence, Objects.requireNonNull(lock, "lock is null: say which lock protects a row"));
        }
    }

    /**
     * Raises the row's fence to this lease's token, until the transaction ends; call it before reading the row.
     *
     * @throws StaleTokenException if a newer token has been seen
     * @throws ConflictException if the transaction must be done again
     * @throws LockRefusedException if there is no such row
     * @throws IllegalArgumentException if the lease is not exclusive, or is one of another lock
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void raise(Connection connection, Lease lease, I id) throws SQLException {
        Fences.requireExclusive(lease, "raise a fence");
        write(connection, lease, id, Map.of());
    }

    /**
     * Passes if this lease may still touch the row, and keeps that true until the transaction ends. A shared lease calls it before reading.
     *
     * @throws StaleTokenException if a newer token has been seen; roll back
     * @throws ConflictException if the transaction must be done again
     * @throws LockRefusedException if there is no such row
     * @throws IllegalArgumentException if the lease holds permits, or is one of another lock
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void check(Connection connection, Lease lease, I id) throws SQLException {
        Fences.refusePermits(lease);
        if (lease.mode() == LockMode.EXCLUSIVE) {
            write(connection, lease, id, Map.of());
            return;
        }
        run(connection, lease, id, dialect -> {
            String clause =
                    dialect == Dialect.H2 ? "FOR UPDATE" : dialect.isMySql() ? "LOCK IN SHARE MODE" : "FOR SHARE";
            refuseIfStale(lease, seen(connection, dialect, id, clause));
        });
    }

    /**
     * Writes these columns of the row if this lease may still touch it, in one statement.
     *
     * @param values what to write, by column
     * @throws StaleTokenException if a newer token has been seen; then nothing was written
     * @throws ConflictException if the transaction must be done again
     * @throws LockRefusedException if there is no such row
     * @throws IllegalArgumentException if the lease is not exclusive, or is one of another lock, or a column cannot be written
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public void update(Connection connection, Lease lease, I id, Map<String, ?> values) throws SQLException {
        Fences.requireExclusive(lease, "write");
        Objects.requireNonNull(values, "values is null: give what to write, by column");
        if (values.isEmpty() || values.size() > MOST_COLUMNS) {
            throw new IllegalArgumentException(values.size() + " columns to write in " + table + ": give 1 to "
                    + MOST_COLUMNS + ", or call check to write nothing");
        }
        for (String column : values.keySet()) {
            if (SqlNames.column(column).equalsIgnoreCase(fence) || column.equalsIgnoreCase(this.id)) {
                throw new IllegalArgumentException(
                        "Column " + column + " of " + table + " is not for writing: it is what the fence goes by");
            }
        }
        write(connection, lease, id, values);
    }

    private void write(Connection connection, Lease lease, I id, Map<String, ?> values) throws SQLException {
        run(connection, lease, id, dialect -> {
            if (accepted(connection, dialect, lease, id, values)) {
                return;
            }
            refuseIfStale(lease, seen(connection, dialect, id, "FOR UPDATE"));
            // The row is locked and its token is not newer: either it has only just come, or it was the same already
            // and a driver
            // that counts changed rows says 0.
            accepted(connection, dialect, lease, id, values);
        });
    }

    private boolean accepted(Connection connection, Dialect dialect, Lease lease, I id, Map<String, ?> values)
            throws SQLException {
        List<String> columns = new ArrayList<>(values.keySet());
        StringBuilder sql = new StringBuilder("UPDATE " + table + " SET ");
        columns.forEach(column -> sql.append(column).append(" = ?, "));
        sql.append(fence).append(" = ? WHERE ").append(this.id).append(" = ? AND (");
        sql.append(fence).append(" IS NULL OR ").append(fence).append(" <= ?)");
        try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
            statement.setQueryTimeout(FenceTable.LONGEST_WAIT_SECONDS);
            int index = 1;
            for (String column : columns) {
                InTransaction.bind(statement, index++, values.get(column), dialect);
            }
            statement.setLong(index++, lease.token().value());
            InTransaction.bind(statement, index++, id, dialect);
            statement.setLong(index, lease.token().value());
            int rows = statement.executeUpdate();
            if (rows > 1) {
                throw new LockRefusedException(
                        rows + " rows of " + table + " have this " + this.id + ": it must be unique. Roll back");
            }
            return rows == 1;
        }
    }

    /** The token in the row, locked; empty if it was never fenced. */
    private OptionalLong seen(Connection connection, Dialect dialect, I id, String clause) throws SQLException {
        String sql = "SELECT " + fence + " FROM " + table + " WHERE " + this.id + " = ? " + clause;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(FenceTable.LONGEST_WAIT_SECONDS);
            InTransaction.bind(statement, 1, id, dialect);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new LockRefusedException("There is no row in " + table + " for \"" + lock.apply(id)
                            + "\" to fence: insert it first, with the lease's token in " + fence);
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
        void take(Dialect dialect) throws SQLException;
    }

    private void run(Connection connection, Lease lease, I id, Step step) throws SQLException {
        Objects.requireNonNull(id, "id is null: say which row");
        LockKey expected = lock.apply(id);
        if (!expected.equals(lease.key())) {
            throw new IllegalArgumentException("A lease on \"" + lease.key() + "\" says nothing about this row of "
                    + table + ", which \"" + expected + "\" protects: tokens of different locks cannot be compared");
        }
        String what = "The row of \"" + expected + "\" in " + table;
        Dialect dialect = InTransaction.dialect(connection, what);
        try {
            step.take(dialect);
        } catch (SQLException e) {
            throw InTransaction.translated(dialect, what, e);
        }
    }

    @Override
    public String toString() {
        return "FencedRows(" + table + "." + fence + ")";
    }
}
