package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.Holder;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statements on the lock table, each on a connection that the caller has.
 *
 * <p>There are two kinds: single statements for the common cases, which are transactions by themselves and touch only a
 * lock with an exclusive holder and no waiters; and statements that lock rows, read them as {@link LockRow} and write
 * them back.
 */
final class LeaseTable {
    /** Rows that are locked, and the time when they were read. */
    record Locked(Map<LockKey, LockRow> rows, long now) {
        LockRow row(LockKey key) {
            LockRow row = rows.get(key);
            if (row == null) {
                throw new IllegalStateException(key + " was not locked");
            }
            return row;
        }
    }

    private final Dialect dialect;
    private final Statements statements;
    private final String namespace;
    private final QueueTable queue;
    private final WaitReportTable waitReports;

    /** Prepares {@link #take} for warm connections. */
    final WarmConnections.Preparation taking;

    /** Prepares {@link #release} for warm connections. */
    final WarmConnections.Preparation releasing;

    LeaseTable(LockDatabase database, String namespace) {
        this.dialect = database.dialect();
        this.statements = new Statements(dialect, database.timeouts());
        this.namespace = namespace;
        this.queue = new QueueTable(dialect, statements, namespace);
        this.waitReports = new WaitReportTable(dialect, statements, namespace);
        this.taking = connection -> statements.open(connection, "take", dialect.isMySql());
        this.releasing = connection -> statements.open(connection, "release", false);
    }

    /**
     * Takes a free lock by one statement and returns the number of the grant; 0 if the lock has no row or is not free.
     */
    long take(Connection connection, Attempt attempt) throws SQLException {
        try (PreparedStatement take = returningNumber(connection, "take")) {
            return take(take, attempt);
        }
    }

    /** The same by a statement of {@link #taking}. */
    long take(PreparedStatement take, Attempt attempt) throws SQLException {
        Claim claim = attempt.claims().get(0);
        take.setLong(1, attempt.tokenFloor());
        take.setString(2, attempt.id().value());
        take.setString(3, attempt.label());
        take.setLong(4, Micros.of(claim.lease()));
        dialect.setName(take, 5, namespace);
        dialect.setName(take, 6, claim.key().name());
        return number(take);
    }

    /** Takes a lock that has no row yet by one statement and returns the number of the grant; 0 if it has a row. */
    long takeNew(Connection connection, Attempt attempt) throws SQLException {
        Claim claim = attempt.claims().get(0);
        long lease = Micros.of(claim.lease());
        try (PreparedStatement take = returningNumber(connection, "take-new")) {
            dialect.setName(take, 1, claim.key().name());
            take.setLong(2, attempt.tokenFloor());
            take.setString(3, attempt.id().value());
            take.setString(4, attempt.label());
            take.setLong(5, lease);
            take.setLong(6, lease);
            dialect.setName(take, 7, namespace);
            if (!dialect.isMySql()) {
                // These statements check for the row before they insert.
                dialect.setName(take, 8, namespace);
                dialect.setName(take, 9, claim.key().name());
            }
            return number(take);
        }
    }

    /** A statement that returns a number: as a row, or on MySQL as the generated key. */
    private PreparedStatement returningNumber(Connection connection, String name) throws SQLException {
        return statements.prepare(connection, name, dialect.isMySql());
    }

    private long number(PreparedStatement statement) throws SQLException {
        if (!dialect.isMySql()) {
            try (ResultSet number = statement.executeQuery()) {
                return number.next() ? number.getLong(1) : 0;
            }
        }
        if (statement.executeUpdate() == 0) {
            return 0;
        }
        try (ResultSet number = statement.getGeneratedKeys()) {
            return number.next() ? number.getLong(1) : 0;
        }
    }

    /** Ends a grant by one statement; false if the grant is gone or the lock has waiters. */
    boolean release(Connection connection, Grant grant) throws SQLException {
        try (PreparedStatement release = statements.prepare(connection, "release")) {
            return release(release, grant);
        }
    }

    /** The same by a statement of {@link #releasing}. */
    boolean release(PreparedStatement release, Grant grant) throws SQLException {
        name(release, 1, grant);
        return release.executeUpdate() > 0;
    }

    /** Single statements that only PostgreSQL has; null elsewhere. */
    @Nullable
    PostgresShortcuts shortcuts() {
        return dialect == Dialect.POSTGRESQL ? new PostgresShortcuts(statements, namespace) : null;
    }

    QueueTable queue() {
        return queue;
    }

    WaitReportTable waitReports() {
        return waitReports;
    }

    LeaseExtensions extensions() {
        return new LeaseExtensions(dialect, statements, namespace, this);
    }

    /** Sets key, owner and number of a grant, from this parameter on. */
    void name(PreparedStatement statement, int from, Grant grant) throws SQLException {
        dialect.setName(statement, from, namespace);
        dialect.setName(statement, from + 1, grant.key().name());
        statement.setString(from + 2, grant.owner().value());
        statement.setLong(from + 3, grant.number());
    }

    /** Reads the existing rows of these keys, without shared holders and waiters. */
    Locked read(Connection connection, Collection<LockKey> keys) throws SQLException {
        try (PreparedStatement select = statements.naming(connection, "read-locks", namespace, keys)) {
            return read(select, new HashSet<>());
        }
    }

    /** Locks the existing rows of these keys, and reads them with their holders and waiters. */
    Locked lock(Connection connection, Collection<LockKey> keys) throws SQLException {
        Set<LockKey> queued = new LinkedHashSet<>();
        Locked locked;
        try (PreparedStatement select = statements.naming(connection, "lock-rows", namespace, keys)) {
            locked = read(select, queued);
        }
        if (!queued.isEmpty()) {
            queue.readHolders(connection, true, locked, queued);
            for (LockKey key : queued) {
                queue.readWaiters(connection, locked.row(key));
            }
        }
        return locked;
    }

    /** Locks the rows of these keys that no other transaction has locked, and returns their keys. */
    Set<LockKey> lockUnlocked(Connection connection, Collection<LockKey> keys) throws SQLException {
        Set<LockKey> free = new HashSet<>();
        try (PreparedStatement select = statements.naming(connection, "lock-unlocked-rows", namespace, keys);
                ResultSet found = select.executeQuery()) {
            while (found.next()) {
                free.add(LockKey.of(dialect.getName(found, 1)));
            }
        }
        return free;
    }

    /**
     * Reads the rows of locks that are held or waited for, in the order of their names: at or after {@code from}, and
     * after {@code after}. Adds the number of waiters per lock to {@code waiters}.
     */
    Locked list(Connection connection, String from, String after, int most, Map<LockKey, Integer> waiters)
            throws SQLException {
        Set<LockKey> queued = new LinkedHashSet<>();
        Locked found;
        try (PreparedStatement select = statements.prepare(connection, "list-locks")) {
            dialect.setName(select, 1, namespace);
            dialect.setName(select, 2, from);
            dialect.setName(select, 3, after);
            select.setInt(4, most);
            found = read(select, queued);
        }
        if (!queued.isEmpty()) {
            queue.readHolders(connection, false, found, queued);
            queue.countWaiters(connection, queued, waiters);
        }
        return found;
    }

    private Locked read(PreparedStatement select, Set<LockKey> queued) throws SQLException {
        Map<LockKey, LockRow> rows = new LinkedHashMap<>();
        long now = 0;
        try (ResultSet found = select.executeQuery()) {
            while (found.next()) {
                LockRow row = new LockRow(LockKey.of(dialect.getName(found, 1)), found.getLong(2));
                String owner = found.getString(3);
                if (owner != null) {
                    row.holders.add(new Holder(
                            owner,
                            row.number,
                            LockMode.EXCLUSIVE,
                            1,
                            found.getLong(5),
                            found.getString(4),
                            found.getLong(6),
                            Math.max(found.getLong(6), found.getLong(7))));
                }
                if (found.getBoolean(8)) {
                    queued.add(row.key);
                }
                row.lastPlace = found.getLong(9);
                row.forcedNumber = found.getLong(10);
                row.forcedUntil = found.getLong(11);
                // The latest time: locking one of the rows may have taken a while.
                now = Math.max(now, found.getLong(12));
                rows.put(row.key, row);
            }
        }
        return new Locked(rows, now);
    }

    /** Writes locked rows back. */
    void write(Connection connection, Collection<LockRow> rows, long now) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        // In the order in which heartbeats lock waiter rows.
        List<LockRow> sorted = rows.stream()
                .sorted(Comparator.comparing((LockRow row) -> row.key, KeyOrder.BY_BYTES))
                .toList();
        for (LockRow row : sorted) {
            queue.write(connection, row);
        }
        try (PreparedStatement update = statements.prepare(connection, "write-lock")) {
            for (LockRow row : sorted) {
                Holder sole = row.sole();
                update.setLong(1, row.number);
                setOwner(update, 2, sole);
                update.setString(3, sole == null ? "" : sole.label);
                update.setLong(4, sole == null ? 0 : sole.grantedAt);
                update.setLong(5, sole == null ? 0 : sole.leaseEnd);
                update.setLong(6, sole == null ? now : sole.recordEnd); // the age of the row, for the purge
                update.setBoolean(7, row.isQueued());
                update.setLong(8, row.lastPlace);
                update.setLong(9, row.forcedNumber);
                update.setLong(10, row.forcedUntil);
                dialect.setName(update, 11, namespace);
                dialect.setName(update, 12, row.key.name());
                update.addBatch();
            }
            update.executeBatch();
        }
    }

    private static void setOwner(PreparedStatement update, int index, @Nullable Holder sole) throws SQLException {
        if (sole == null) {
            update.setNull(index, Types.VARCHAR);
        } else {
            update.setString(index, sole.owner);
        }
    }

    /** Creates the rows of these keys that do not exist yet. */
    void insert(Connection connection, Collection<LockKey> keys) throws SQLException {
        try (PreparedStatement insert = statements.prepare(connection, "create-lock")) {
            for (LockKey key : keys) {
                dialect.setName(insert, 1, key.name());
                dialect.setName(insert, 2, namespace);
                if (dialect == Dialect.MARIADB) {
                    // MariaDB cannot run INSERT ... SELECT in a batch.
                    insert.executeUpdate();
                } else {
                    insert.addBatch();
                }
            }
            if (dialect != Dialect.MARIADB) {
                insert.executeBatch();
            }
        }
    }

    /** Creates the namespace's row unless it exists. */
    void createNamespace(Connection connection) throws SQLException {
        try (PreparedStatement insert = statements.prepare(connection, "create-namespace")) {
            dialect.setName(insert, 1, namespace);
            insert.executeUpdate();
        }
    }

    /** Locks the namespace's row and returns its agreement; null if there is no row. */
    @Nullable
    String lockNamespace(Connection connection) throws SQLException {
        try (PreparedStatement select = statements.prepare(connection, "lock-namespace")) {
            dialect.setName(select, 1, namespace);
            try (ResultSet found = select.executeQuery()) {
                return found.next() ? found.getString(1) : null;
            }
        }
    }

    void agree(Connection connection, String agreement) throws SQLException {
        try (PreparedStatement update = statements.prepare(connection, "agreement")) {
            update.setString(1, agreement);
            dialect.setName(update, 2, namespace);
            update.executeUpdate();
        }
    }

    /** Deletes the rows of locks that have not been used for this long, after raising the floor above their numbers. */
    int purge(Connection connection, long unusedMicros) throws SQLException {
        lockNamespace(connection);
        for (String step : List.of("raise-floor", "purge")) {
            try (PreparedStatement statement = statements.prepare(connection, step)) {
                dialect.setName(statement, 1, namespace);
                statement.setLong(2, unusedMicros);
                dialect.setName(statement, 3, namespace);
                int count = statement.executeUpdate();
                if (step.equals("purge")) {
                    return count;
                }
            }
        }
        throw new IllegalStateException("unreachable");
    }

    static List<LockKey> missing(Collection<LockKey> wanted, Locked found) {
        List<LockKey> missing = new ArrayList<>(0);
        for (LockKey key : wanted) {
            if (!found.rows().containsKey(key)) {
                missing.add(key);
            }
        }
        return missing;
    }
}
