package dev.interlock.transactions;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.transactions.internal.Dialect;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statements on a fence table.
 *
 * <p>Invariants: an exclusive lease that passes has <em>written</em> its row, not only locked it, even if its token
 * is already stored; every such write increments {@code changes}. That is how a transaction with an older snapshot is
 * found. PostgreSQL and H2 refuse to update a row that is newer than the snapshot. MySQL and MariaDB do not, so there
 * the fence compares {@code changes} in the row with {@code changes} in the snapshot.
 *
 * <p>On MySQL and MariaDB, a raise inserts its row before the first locking read. Otherwise two transactions could lock
 * the same gap, and neither could insert.
 */
final class FenceTable {
    static final int MAX_WAIT_SECONDS = 30;

    /** Lower than every token: the row exists to be locked, but no lease has raised the fence. */
    private static final long NOTHING_RAISED = -1;

    /**
     * How often a call tries to find or insert a row. The row can appear because another transaction inserts it, and
     * disappear because that transaction rolls back.
     */
    private static final int MAX_TRIES = 4;

    private static final Set<String> ALREADY_EXISTS = Set.of("23505", "42P07", "42710");

    private final String table;

    FenceTable(String table) {
        this.table = table;
    }

    /**
     * A row of the table. {@code visibleChanges} is the value of {@code changes} in the snapshot of the transaction.
     */
    private record Fence(
            long token,
            String owner,
            long changes,
            @Nullable Long visibleChanges) {}

    String name() {
        return table;
    }

    void create(Connection connection) throws SQLException {
        String sql = schema(Dialect.of(connection)).replace("interlock_fence", table);
        try (Statement statement = connection.createStatement()) {
            try {
                statement.execute(sql);
            } catch (SQLException e) {
                // Despite IF NOT EXISTS, PostgreSQL reports an existing table if two sessions create it at once.
                if (!ALREADY_EXISTS.contains(String.valueOf(e.getSQLState()))) {
                    throw e;
                }
                statement.execute(sql);
            }
        }
    }

    private static String schema(Dialect dialect) {
        String file = dialect.folder() + "/fence.sql";
        try (InputStream in = FenceTable.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The resource " + file + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll("(?m)--.*$", "");
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + file, e);
        }
    }

    /** Writes the token of an exclusive lease into its row, or refuses the lease. */
    void advance(Connection connection, Dialect dialect, Lease lease, boolean beforeReading) throws SQLException {
        switch (dialect) {
            case POSTGRESQL -> upsert(connection, dialect, lease);
            case MYSQL, MARIADB -> {
                // A raise also checks the snapshot. It has to do that after locking the row and before writing it.
                if (beforeReading || !update(connection, dialect, lease)) {
                    // After this statement the row exists and is locked; an existing row is unchanged.
                    insert(connection, dialect, lease, NOTHING_RAISED, "");
                    Fence seen = lock(connection, dialect, lease, "FOR UPDATE");
                    if (seen == null) {
                        throw new ConflictException("The fence of \"" + lease.key() + "\" was deleted", null);
                    }
                    refuseIfStale(lease, seen);
                    if (beforeReading) {
                        refuseOldSnapshot(lease, seen);
                    }
                    update(connection, dialect, lease);
                }
            }
            case H2 -> {
                for (int tries = 1; !update(connection, dialect, lease); tries++) {
                    Fence seen = lock(connection, dialect, lease, "FOR UPDATE");
                    refuseIfStale(lease, seen);
                    if (seen == null
                            && insert(connection, dialect, lease, lease.token().value(), digest(lease))) {
                        return;
                    }
                    refuseAtLimit(tries, lease);
                }
            }
        }
    }

    /**
     * Locks the row of a shared lease, so that no other transaction can raise the fence. A missing row is inserted
     * first, to have something to lock. On MySQL and MariaDB two transactions that insert the same row can deadlock;
     * the database aborts one of them, which its caller sees as a conflict.
     */
    void share(Connection connection, Dialect dialect, Lease lease) throws SQLException {
        String clause = switch (dialect) {
            case POSTGRESQL -> "FOR SHARE";
            case MYSQL, MARIADB -> "LOCK IN SHARE MODE";
            case H2 -> "FOR UPDATE";
        };
        Fence seen = lock(connection, dialect, lease, clause);
        for (int tries = 1; seen == null; tries++) {
            refuseAtLimit(tries, lease);
            insert(connection, dialect, lease, NOTHING_RAISED, "");
            seen = lock(connection, dialect, lease, clause);
        }
        refuseIfStale(lease, seen);
        if (dialect.isMySql()) {
            refuseOldSnapshot(lease, seen);
        }
    }

    private void upsert(Connection connection, Dialect dialect, Lease lease) throws SQLException {
        String sql = "INSERT INTO " + table + " AS old (name, token, owner, changes) VALUES (?, ?, ?, 1)"
                + " ON CONFLICT (name)"
                + " DO UPDATE SET token = EXCLUDED.token, owner = EXCLUDED.owner, changes = old.changes + 1"
                + " WHERE old.token < EXCLUDED.token OR (old.token = EXCLUDED.token AND old.owner = EXCLUDED.owner)";
        try (PreparedStatement statement = prepare(connection, sql)) {
            dialect.setName(statement, 1, lease.key().name());
            statement.setLong(2, lease.token().value());
            statement.setString(3, digest(lease));
            if (statement.executeUpdate() == 0) {
                // PostgreSQL has locked the row without updating it, so this reads the token that was compared.
                refuseIfStale(lease, lock(connection, dialect, lease, "FOR UPDATE"));
                throw new ConflictException(
                        "The fence of \"" + lease.key() + "\" changed. Retry the transaction", null);
            }
        }
    }

    /** Returns whether the row exists and accepts the token. Always changes the row then, so all drivers count it. */
    private boolean update(Connection connection, Dialect dialect, Lease lease) throws SQLException {
        String sql = "UPDATE " + table + " SET token = ?, owner = ?, changes = changes + 1"
                + " WHERE name = ? AND (token < ? OR (token = ? AND owner = ?))";
        try (PreparedStatement statement = prepare(connection, sql)) {
            long token = lease.token().value();
            String owner = digest(lease);
            statement.setLong(1, token);
            statement.setString(2, owner);
            dialect.setName(statement, 3, lease.key().name());
            statement.setLong(4, token);
            statement.setLong(5, token);
            statement.setString(6, owner);
            return statement.executeUpdate() == 1;
        }
    }

    /**
     * Inserts the row unless it exists. On MySQL and MariaDB the transaction has locked the row in both cases.
     *
     * @return false if the row existed; on MySQL and MariaDB the result may be true even then
     */
    private boolean insert(Connection connection, Dialect dialect, Lease lease, long token, String owner)
            throws SQLException {
        String onConflict = switch (dialect) {
            case POSTGRESQL -> " ON CONFLICT (name) DO NOTHING";
            // INSERT IGNORE would take a shared lock on an existing row. Two transactions that both hold one and then
            // both want an exclusive lock deadlock.
            case MYSQL, MARIADB -> " ON DUPLICATE KEY UPDATE changes = changes";
            case H2 -> "";
        };
        String sql = "INSERT INTO " + table + " (name, token, owner, changes) VALUES (?, ?, ?, 1)" + onConflict;
        try (PreparedStatement statement = prepare(connection, sql)) {
            dialect.setName(statement, 1, lease.key().name());
            statement.setLong(2, token);
            statement.setString(3, owner);
            return statement.executeUpdate() == 1;
        } catch (SQLException e) {
            if (dialect == Dialect.H2 && "23505".equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    /** Returns the latest committed row and locks it until the transaction ends, or null if there is none. */
    private @Nullable Fence lock(Connection connection, Dialect dialect, Lease lease, String clause)
            throws SQLException {
        String sql = "SELECT token, owner, changes FROM " + table + " WHERE name = ? ";
        Fence latest = read(connection, dialect, lease, sql + clause);
        if (latest == null || !dialect.isMySql()) {
            return latest;
        }
        // A read without a lock uses the snapshot of the transaction, if it has one.
        Fence visible = read(connection, dialect, lease, sql);
        return new Fence(latest.token, latest.owner, latest.changes, visible == null ? null : visible.changes);
    }

    private @Nullable Fence read(Connection connection, Dialect dialect, Lease lease, String sql) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql)) {
            dialect.setName(statement, 1, lease.key().name());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? new Fence(row.getLong(1), row.getString(2), row.getLong(3), null) : null;
            }
        }
    }

    /** Bounds the wait for a locked row, so that a transaction that hangs does not block its waiters forever. */
    private static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setQueryTimeout(MAX_WAIT_SECONDS);
        return statement;
    }

    private static void refuseIfStale(Lease lease, @Nullable Fence seen) {
        long token = lease.token().value();
        if (seen == null || token > seen.token) {
            return;
        }
        if (token < seen.token || (lease.mode() == LockMode.EXCLUSIVE && !seen.owner.equals(digest(lease)))) {
            throw new StaleTokenException(lease.key(), lease.token(), new FencingToken(seen.token));
        }
    }

    private static void refuseOldSnapshot(Lease lease, Fence seen) throws SQLException {
        if (seen.visibleChanges == null || seen.visibleChanges != seen.changes) {
            throw new ConflictException(
                    "The snapshot of this transaction is older than the latest write under \"" + lease.key()
                            + "\", because it read before it used the fence. Retry it, and raise or check the fence"
                            + " first",
                    null);
        }
    }

    private static void refuseAtLimit(int tries, Lease lease) throws SQLException {
        if (tries == MAX_TRIES) {
            throw new ConflictException(
                    "The fence of \"" + lease.key() + "\" was inserted and rolled back " + tries
                            + " times by other transactions. Retry the transaction",
                    null);
        }
    }

    /** Returns a digest of the owner. The owner itself is not stored, because it is sufficient to release the lock. */
    private static String digest(Lease lease) {
        try {
            byte[] value = lease.owner().value().getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(value));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java platform has no SHA-256", e);
        }
    }
}
