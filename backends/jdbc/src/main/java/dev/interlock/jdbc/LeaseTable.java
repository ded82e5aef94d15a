package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.Holder;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The statements on the tables, each on a connection that the caller has.
 *
 * <p>Two kinds: short ones for the usual case, which are a transaction by themselves and touch only a lock with nothing but an exclusive
 * holder; and rows that are locked, looked at as {@link LockRow} and written back.
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

    /** How a row says that nobody but an heir waits. */
    private static final int HEIR = 2;

    private final Dialect dialect;
    private final Statements statements;
    private final String namespace;
    private final Crowd crowd;
    private final Notes notes;

    /** For {@link #take} over connections that are kept. */
    final Kept.Preparation taking;

    /** For {@link #give} over connections that are kept. */
    final Kept.Preparation giving;

    /** For {@link #giveAt} over connections that are kept. */
    final Kept.Preparation givingAt;

    LeaseTable(Database database, String namespace) {
        this.dialect = database.dialect();
        this.statements = new Statements(dialect, database.overdue());
        this.namespace = namespace;
        this.crowd = new Crowd(dialect, statements, namespace);
        this.notes = new Notes(dialect, statements, namespace);
        this.taking = connection -> statements.open(connection, "take", dialect.isMySql());
        this.giving = connection -> statements.open(connection, "give", false);
        this.givingAt = connection -> statements.open(connection, "give-at", false);
    }

    /** The number of a grant, 0 if there is none, and where its row lies now, if the database says so. */
    record Drawn(long number, @Nullable String address) {
        private static final Drawn NOTHING = new Drawn(0, null);
    }

    /** Takes a free lock for an attempt by one statement; 0 if that does not do. */
    long take(Connection connection, Attempt attempt) throws SQLException {
        try (PreparedStatement take = drawing(connection, "take")) {
            return take(take, attempt).number();
        }
    }

    /** The same by a statement of {@link #taking}. */
    Drawn take(PreparedStatement take, Attempt attempt) throws SQLException {
        fill(take, attempt);
        if (dialect != Dialect.POSTGRESQL) {
            return new Drawn(drawn(take), null);
        }
        try (ResultSet drawn = take.executeQuery()) {
            return drawn.next() ? new Drawn(drawn.getLong(1), drawn.getString(2)) : Drawn.NOTHING;
        }
    }

    /** For whom and for how long. */
    void fill(PreparedStatement take, Attempt attempt) throws SQLException {
        Claim claim = attempt.claims().get(0);
        take.setLong(1, attempt.tokenFloor());
        take.setString(2, attempt.id().value());
        take.setString(3, attempt.label());
        long lease = Micros.of(claim.lease());
        take.setLong(4, -lease);
        take.setLong(5, lease);
        dialect.setName(take, 6, namespace);
        dialect.setName(take, 7, claim.key().name());
    }

    /** Takes a lock that has no row yet by one statement; 0 if it has one. */
    long begin(Connection connection, Attempt attempt) throws SQLException {
        Claim claim = attempt.claims().get(0);
        long lease = Micros.of(claim.lease());
        try (PreparedStatement begin = drawing(connection, "begin")) {
            dialect.setName(begin, 1, claim.key().name());
            begin.setLong(2, attempt.tokenFloor());
            begin.setString(3, attempt.id().value());
            begin.setString(4, attempt.label());
            begin.setLong(5, lease);
            begin.setLong(6, lease);
            dialect.setName(begin, 7, namespace);
            if (!dialect.isMySql()) {
                // Those two need not try to insert what they see.
                dialect.setName(begin, 8, namespace);
                dialect.setName(begin, 9, claim.key().name());
            }
            return drawn(begin);
        }
    }

    /** A statement that answers the number it has drawn: in a row, or where there is no such thing as the driver's generated key. */
    private PreparedStatement drawing(Connection connection, String name) throws SQLException {
        return statements.prepare(connection, name, dialect.isMySql());
    }

    private long drawn(PreparedStatement statement) throws SQLException {
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

    /** Ends a grant that nobody waits for by one statement; false if that does not do. */
    boolean give(Connection connection, Grant grant) throws SQLException {
        try (PreparedStatement give = statements.prepare(connection, "give")) {
            return give(give, grant);
        }
    }

    /** The same by a statement of {@link #giving}. */
    boolean give(PreparedStatement give, Grant grant) throws SQLException {
        name(give, 1, grant);
        return give.executeUpdate() > 0;
    }

    /** The same by a statement of {@link #givingAt}, if the row still lies there. */
    boolean giveAt(PreparedStatement give, Grant grant, String address) throws SQLException {
        give.setObject(1, address, Types.OTHER); // a text would have to be cast by the statement
        give.setString(2, grant.owner().value());
        give.setLong(3, grant.number());
        return give.executeUpdate() > 0;
    }

    /** Statements that travel together on PostgreSQL; null elsewhere. */
    @Nullable
    Together together() {
        return dialect == Dialect.POSTGRESQL ? new Together(statements, this) : null;
    }

    /** What PostgreSQL does by single statements; null elsewhere. */
    @Nullable
    PostgresShortcuts shortcuts() {
        return dialect == Dialect.POSTGRESQL ? new PostgresShortcuts(statements, namespace) : null;
    }

    /** Who shares locks and who waits for them. */
    Crowd crowd() {
        return crowd;
    }

    /** What processes tell each other about waits. */
    Notes notes() {
        return notes;
    }

    /** Longer leases. */
    Extensions extensions() {
        return new Extensions(dialect, statements, namespace, this);
    }

    /** Which grant it is about. */
    void name(PreparedStatement statement, int from, Grant grant) throws SQLException {
        dialect.setName(statement, from, namespace);
        dialect.setName(statement, from + 1, grant.key().name());
        statement.setString(from + 2, grant.owner().value());
        statement.setLong(from + 3, grant.number());
    }

    /** Reads the rows of these keys, those that there are, without who shares and who waits. */
    Locked look(Connection connection, Collection<LockKey> keys) throws SQLException {
        try (PreparedStatement select = statements.naming(connection, "look", namespace, keys)) {
            return read(select, new HashSet<>());
        }
    }

    /** Locks the rows of these keys, those that there are. */
    Locked lock(Connection connection, Collection<LockKey> keys) throws SQLException {
        Set<LockKey> crowded = new LinkedHashSet<>();
        Locked locked;
        long began = System.nanoTime();
        try (PreparedStatement select = statements.naming(connection, "lock", namespace, keys)) {
            locked = read(select, crowded);
        }
        if (!crowded.isEmpty()) {
            crowd.readHolders(connection, true, locked, crowded);
            for (LockKey key : crowded) {
                LockRow row = locked.row(key);
                if (row.hasHeir) {
                    crowd.settleHeir(connection, row, TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began));
                }
                crowd.readWaiters(connection, row);
            }
        }
        return locked;
    }

    /** Locks the rows of these keys that nobody else has locked, and answers which. */
    Set<LockKey> lockFree(Connection connection, Collection<LockKey> keys) throws SQLException {
        Set<LockKey> free = new HashSet<>();
        try (PreparedStatement select = statements.naming(connection, "lock-free", namespace, keys);
                ResultSet found = select.executeQuery()) {
            while (found.next()) {
                free.add(LockKey.of(dialect.getName(found, 1)));
            }
        }
        return free;
    }

    /** Rows of locks that are held or waited for, in the order of their names, from a name on and behind another one; and how many wait. */
    Locked list(Connection connection, String from, String after, int most, Map<LockKey, Integer> waiters)
            throws SQLException {
        Set<LockKey> crowded = new LinkedHashSet<>();
        Locked found;
        try (PreparedStatement select = statements.prepare(connection, "list")) {
            dialect.setName(select, 1, namespace);
            dialect.setName(select, 2, from);
            dialect.setName(select, 3, after);
            select.setInt(4, most);
            found = read(select, crowded);
        }
        if (!crowded.isEmpty()) {
            crowd.readHolders(connection, false, found, crowded);
            crowd.countWaiters(connection, crowded, waiters);
        }
        return found;
    }

    private Locked read(PreparedStatement select, Set<LockKey> crowded) throws SQLException {
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
                            since(found.getLong(5), found.getLong(6)),
                            found.getString(4),
                            found.getLong(6),
                            Math.max(found.getLong(6), found.getLong(7))));
                }
                if (found.getInt(8) != 0) {
                    crowded.add(row.key);
                }
                row.hasHeir = found.getInt(8) == HEIR;
                row.arrivals = found.getLong(9);
                row.forced = found.getLong(10);
                row.forcedUntil = found.getLong(11);
                // The latest: locking one of the rows may have taken a while.
                now = Math.max(now, found.getLong(12));
                rows.put(row.key, row);
            }
        }
        return new Locked(rows, now);
    }

    /** When a grant was made whose row says this. One that was not renewed yet counts from its end. */
    static long since(long since, long leaseEnd) {
        return since < 0 ? leaseEnd + since : since;
    }

    /** Writes rows back that have been locked. */
    void write(Connection connection, Collection<LockRow> rows, long now) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        // As heartbeats go through them.
        List<LockRow> sorted = rows.stream()
                .sorted(Comparator.comparing((LockRow row) -> row.key, Names.ORDER))
                .toList();
        for (LockRow row : sorted) {
            crowd.write(connection, row);
        }
        try (PreparedStatement update = statements.prepare(connection, "write")) {
            for (LockRow row : sorted) {
                Holder sole = row.sole();
                update.setLong(1, row.number);
                setOwner(update, 2, sole);
                update.setString(3, sole == null ? "" : sole.label);
                update.setLong(4, sole == null ? 0 : sole.since);
                update.setLong(5, sole == null ? 0 : sole.leaseEnd);
                update.setLong(6, sole == null ? now : sole.recordEnd); // a row's age, for the purge
                update.setInt(7, row.isCrowded() ? 1 : 0);
                update.setLong(8, row.arrivals);
                update.setLong(9, row.forced);
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

    /** Makes rows for names that have none. */
    void insert(Connection connection, Collection<LockKey> keys) throws SQLException {
        try (PreparedStatement insert = statements.prepare(connection, "insert")) {
            for (LockKey key : keys) {
                dialect.setName(insert, 1, key.name());
                dialect.setName(insert, 2, namespace);
                if (dialect == Dialect.MARIADB) {
                    // It cannot insert what it selects in a batch.
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

    /** Makes the namespace's own row unless there is one. */
    void found(Connection connection) throws SQLException {
        try (PreparedStatement found = statements.prepare(connection, "found")) {
            dialect.setName(found, 1, namespace);
            found.executeUpdate();
        }
    }

    /** Locks the namespace's row and says what was agreed on. */
    @Nullable
    String namespaceRow(Connection connection) throws SQLException {
        try (PreparedStatement select = statements.prepare(connection, "namespace")) {
            dialect.setName(select, 1, namespace);
            try (ResultSet found = select.executeQuery()) {
                return found.next() ? found.getString(1) : null;
            }
        }
    }

    void agree(Connection connection, String terms) throws SQLException {
        try (PreparedStatement update = statements.prepare(connection, "terms")) {
            update.setString(1, terms);
            dialect.setName(update, 2, namespace);
            update.executeUpdate();
        }
    }

    /** Deletes rows of locks that nobody has used for so long, and remembers how far their numbers went. */
    int purge(Connection connection, long unusedMicros) throws SQLException {
        namespaceRow(connection);
        for (String step : List.of("floor", "purge")) {
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
