package dev.interlock.jdbc.tx;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.StaleTokenException;
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
 * The statements on a table of fences.
 *
 * <p>Invariants: an exclusive lease that passes has <em>written</em> its row, not only locked it, also with an equal token; and {@code
 * changes} has grown. A transaction with an older snapshot is told so by PostgreSQL and H2, which refuse to update a row that is newer than the
 * snapshot, and by {@code changes} on MySQL and MariaDB, which do not.
 *
 * <p>On MySQL and MariaDB a raise never looks for its row with a locking read before the row is there: two transactions could lock the same
 * gap, and then neither could insert.
 */
final class FenceTable {
    static final int LONGEST_WAIT_SECONDS = 30;

    /** Below every token: the row is there to be locked, and nothing was raised. */
    private static final long NOTHING_RAISED = -1;

    /** A row that is missing and there in turn: once for the insertion of another transaction, once for its rollback, and again. */
    private static final int MOST_TRIES = 4;

    private static final Set<String> EXISTS = Set.of("23505", "42P07", "42710");

    private final String table;

    FenceTable(String table) {
        this.table = table;
    }

    /** What a row says; {@code visible} is the count of its changes that plain reads of this transaction see. */
    private record Fence(
            long token,
            String owner,
            long changes,
            @Nullable Long visible) {}

    String name() {
        return table;
    }

    void create(Connection connection) throws SQLException {
        String sql = schema(Dialect.of(connection)).replace("interlock_fence", table);
        try (Statement statement = connection.createStatement()) {
            try {
                statement.execute(sql);
            } catch (SQLException e) {
                // Two at once: PostgreSQL tells one of them that the table exists, in spite of IF NOT EXISTS.
                if (!EXISTS.contains(String.valueOf(e.getSQLState()))) {
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
                throw new IllegalStateException("There is no " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll("(?m)--.*$", "");
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + file, e);
        }
    }

    /** Writes the token of an exclusive lease into its row. */
    void advance(Connection connection, Dialect dialect, Lease lease, boolean beforeReading) throws SQLException {
        switch (dialect) {
            case POSTGRESQL -> upsert(connection, dialect, lease);
            case MYSQL, MARIADB -> {
                // A raise looks at the snapshot too, which has to come between locking the row and writing it.
                if (beforeReading || !update(connection, dialect, lease)) {
                    // Afterwards the row is there and locked by us, and as it was if it was there before.
                    insert(connection, dialect, lease, NOTHING_RAISED, "");
                    Fence seen = locked(connection, dialect, lease, "FOR UPDATE");
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
                    Fence seen = locked(connection, dialect, lease, "FOR UPDATE");
                    refuseIfStale(lease, seen);
                    if (seen == null
                            && insert(connection, dialect, lease, lease.token().value(), digest(lease))) {
                        return;
                    }
                    refuseAfter(tries, lease);
                }
            }
        }
    }

    /**
     * Locks the row of a shared lease against every raise. A row that is missing is made first, or there would be nothing to lock; on MySQL
     * and MariaDB two that make the same one at once may meet as a deadlock, which one of them is told as a conflict.
     */
    void share(Connection connection, Dialect dialect, Lease lease) throws SQLException {
        String clause = switch (dialect) {
            case POSTGRESQL -> "FOR SHARE";
            case MYSQL, MARIADB -> "LOCK IN SHARE MODE";
            case H2 -> "FOR UPDATE";
        };
        Fence seen = locked(connection, dialect, lease, clause);
        for (int tries = 1; seen == null; tries++) {
            refuseAfter(tries, lease);
            insert(connection, dialect, lease, NOTHING_RAISED, "");
            seen = locked(connection, dialect, lease, clause);
        }
        refuseIfStale(lease, seen);
        if (dialect.isMySql()) {
            refuseOldSnapshot(lease, seen);
        }
    }

    private void upsert(Connection connection, Dialect dialect, Lease lease) throws SQLException {
        String sql = "INSERT INTO " + table + " AS old (name, token, owner, changes) VALUES (?, ?, ?, 1)"
                + " ON CONFLICT (name) DO UPDATE SET token = EXCLUDED.token, owner = EXCLUDED.owner, changes = old.changes + 1"
                + " WHERE old.token < EXCLUDED.token OR (old.token = EXCLUDED.token AND old.owner = EXCLUDED.owner)";
        try (PreparedStatement statement = prepare(connection, sql)) {
            dialect.setName(statement, 1, lease.key().name());
            statement.setLong(2, lease.token().value());
            statement.setString(3, digest(lease));
            if (statement.executeUpdate() == 0) {
                // The row is locked now, even though it was not updated, so this is the token that was met.
                refuseIfStale(lease, locked(connection, dialect, lease, "FOR UPDATE"));
                throw new ConflictException(
                        "The fence of \"" + lease.key() + "\" moved. Do the transaction again", null);
            }
        }
    }

    /** Whether the row is there and accepts the token. Always changes it then, so that drivers agree on the count. */
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
     * Makes the row unless there is one, which stays as it is; on MySQL and MariaDB it is locked by us afterwards in either case.
     *
     * @return false if there was one; MySQL and MariaDB do not always tell
     */
    private boolean insert(Connection connection, Dialect dialect, Lease lease, long token, String owner)
            throws SQLException {
        String unless = switch (dialect) {
            case POSTGRESQL -> " ON CONFLICT (name) DO NOTHING";
            // Not IGNORE, which takes a shared lock on a row that is there: two of those cannot both become exclusive.
            case MYSQL, MARIADB -> " ON DUPLICATE KEY UPDATE changes = changes";
            case H2 -> "";
        };
        String sql = "INSERT INTO " + table + " (name, token, owner, changes) VALUES (?, ?, ?, 1)" + unless;
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

    /** The newest row, locked until the transaction ends; null if there is none. */
    private @Nullable Fence locked(Connection connection, Dialect dialect, Lease lease, String clause)
            throws SQLException {
        String sql = "SELECT token, owner, changes FROM " + table + " WHERE name = ? ";
        Fence newest = read(connection, dialect, lease, sql + clause);
        if (newest == null || !dialect.isMySql()) {
            return newest;
        }
        // The same without a lock: from the snapshot of this transaction, if it has one.
        Fence visible = read(connection, dialect, lease, sql);
        return new Fence(newest.token, newest.owner, newest.changes, visible == null ? null : visible.changes);
    }

    private @Nullable Fence read(Connection connection, Dialect dialect, Lease lease, String sql) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql)) {
            dialect.setName(statement, 1, lease.key().name());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? new Fence(row.getLong(1), row.getString(2), row.getLong(3), null) : null;
            }
        }
    }

    /** A row that somebody keeps locked for longer is given up: somebody hangs, and must not take us along. */
    private static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setQueryTimeout(LONGEST_WAIT_SECONDS);
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
        if (seen.visible == null || seen.visible != seen.changes) {
            throw new ConflictException(
                    "This transaction sees the data as it was before the latest write under \"" + lease.key()
                            + "\", since it has read something earlier. Do it again, with the fence before everything else",
                    null);
        }
    }

    private static void refuseAfter(int tries, Lease lease) throws SQLException {
        if (tries == MOST_TRIES) {
            throw new ConflictException(
                    "The fence of \"" + lease.key() + "\" came and went " + tries + " times. Do the transaction again",
                    null);
        }
    }

    /** The owner's value would be enough to release the lock, so a digest of it is kept. */
    private static String digest(Lease lease) {
        try {
            byte[] value = lease.owner().value().getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(value));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
