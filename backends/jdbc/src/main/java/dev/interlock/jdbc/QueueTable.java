package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.Holder;
import dev.interlock.jdbc.LockRow.Waiter;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.PlaceId;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Holder and waiter rows. A lock has them only while it is shared, limited by permits, or waited for. */
final class QueueTable {
    /** Waiters examined per step. If none of them can be granted the lock, a later step examines the others. */
    private static final int MAX_EXAMINED = 100;

    private final Dialect dialect;
    private final Statements statements;
    private final String namespace;

    QueueTable(Dialect dialect, Statements statements, String namespace) {
        this.dialect = dialect;
        this.statements = statements;
        this.namespace = namespace;
    }

    /** Records a heartbeat for each waiter and returns those that still have a place. */
    Set<PlaceId> heartbeat(Connection connection, List<PlaceId> places) throws SQLException {
        return dialect == Dialect.POSTGRESQL
                ? heartbeatAtOnce(connection, places)
                : heartbeatOneByOne(connection, places);
    }

    private Set<PlaceId> heartbeatAtOnce(Connection connection, List<PlaceId> places) throws SQLException {
        Set<String> present = new HashSet<>();
        try (PreparedStatement heartbeat = statements.prepare(connection, "heartbeat")) {
            heartbeat.setArray(
                    1,
                    PostgresShortcuts.texts(
                            connection, places.stream().map(place -> place.key().name())));
            heartbeat.setArray(
                    2,
                    PostgresShortcuts.texts(
                            connection, places.stream().map(place -> place.id().value())));
            heartbeat.setString(3, namespace);
            heartbeat.setString(4, namespace);
            try (ResultSet rows = heartbeat.executeQuery()) {
                while (rows.next()) {
                    present.add(named(rows.getString(1), rows.getString(2)));
                }
            }
        }
        Set<PlaceId> found = new HashSet<>(places);
        found.removeIf(place -> !present.contains(named(place)));
        return found;
    }

    private Set<PlaceId> heartbeatOneByOne(Connection connection, List<PlaceId> places) throws SQLException {
        try (PreparedStatement heartbeat = statements.prepare(connection, "heartbeat")) {
            for (PlaceId place : places) {
                name(heartbeat, place.key(), place.id().value());
                heartbeat.addBatch();
            }
            int[] counts = heartbeat.executeBatch();
            Set<PlaceId> found = new HashSet<>();
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] > 0) {
                    found.add(places.get(i));
                }
            }
            return found;
        }
    }

    private static String named(PlaceId place) {
        return named(place.key().name(), place.id().value());
    }

    private static String named(String key, String owner) {
        return key + '\t' + owner;
    }

    /** Returns, for each of these waiters that has a place, an upper bound for the number of waiters ahead of it. */
    Map<PlaceId, Long> placesAhead(Connection connection, Collection<LockKey> keys, Collection<PlaceId> places)
            throws SQLException {
        Map<PlaceId, Long> ahead = new HashMap<>();
        try (PreparedStatement count = statements.naming(connection, "places-ahead", namespace, keys, places)) {
            Map<String, Long> byOwner = new HashMap<>();
            try (ResultSet counted = count.executeQuery()) {
                while (counted.next()) {
                    byOwner.put(named(dialect.getName(counted, 1), counted.getString(2)), counted.getLong(3));
                }
            }
            for (PlaceId place : places) {
                Long before = byOwner.get(named(place));
                if (before != null) {
                    ahead.put(place, before);
                }
            }
        }
        return ahead;
    }

    private void name(PreparedStatement statement, LockKey key, String owner) throws SQLException {
        dialect.setName(statement, 1, namespace);
        dialect.setName(statement, 2, key.name());
        statement.setString(3, owner);
    }

    /** Adds the number of live waiters of each of these locks to the map. */
    void countWaiters(Connection connection, Collection<LockKey> keys, Map<LockKey, Integer> waiters)
            throws SQLException {
        try (PreparedStatement count = statements.naming(connection, "count-waiters", namespace, keys);
                ResultSet counted = count.executeQuery()) {
            while (counted.next()) {
                waiters.put(LockKey.of(dialect.getName(counted, 1)), counted.getInt(2));
            }
        }
    }

    /**
     * Reads shared and permit holders into the rows of their locks. Locks their rows too if the rows of the locks are
     * locked, because a renewal changes only the holder's own row.
     */
    void readHolders(Connection connection, boolean locking, LeaseTable.Locked locked, Collection<LockKey> keys)
            throws SQLException {
        try (PreparedStatement select =
                        statements.naming(connection, locking ? "lock-holders" : "read-holders", namespace, keys);
                ResultSet found = select.executeQuery()) {
            while (found.next()) {
                if (!locking && !ModeLetters.isKnown(found.getString(4))) {
                    continue; // one invalid row must not hide the others from an operator
                }
                LockRow row = locked.row(LockKey.of(dialect.getName(found, 1)));
                Holder holder = new Holder(
                        found.getString(2),
                        found.getLong(3),
                        ModeLetters.of(found.getString(4)),
                        found.getInt(5),
                        found.getLong(7),
                        found.getString(6),
                        found.getLong(8),
                        found.getLong(9));
                row.holders.add(holder);
                row.storedHolders.add(holder.owner);
            }
        }
    }

    /** Removes dead waiters and reads the first of the others. */
    void readWaiters(Connection connection, LockRow row) throws SQLException {
        removeDead(connection, row.key);
        try (PreparedStatement select = statements.prepare(connection, "read-waiters")) {
            dialect.setName(select, 1, namespace);
            dialect.setName(select, 2, row.key.name());
            select.setInt(3, MAX_EXAMINED);
            try (ResultSet found = select.executeQuery()) {
                while (found.next()) {
                    Waiter waiter = new Waiter(
                            found.getString(1),
                            ModeLetters.of(found.getString(2)),
                            found.getInt(3),
                            found.getInt(4),
                            found.getLong(5),
                            found.getLong(7),
                            found.getString(8),
                            found.getString(9),
                            found.getLong(6));
                    row.queue.put(waiter.owner, waiter);
                }
            }
        }
        row.hasMoreWaiters = row.queue.size() == MAX_EXAMINED;
    }

    private void removeDead(Connection connection, LockKey key) throws SQLException {
        try (PreparedStatement delete = statements.prepare(connection, "remove-dead-waiters")) {
            dialect.setName(delete, 1, namespace);
            dialect.setName(delete, 2, key.name());
            delete.executeUpdate();
        }
    }

    /** Writes the changes of one lock's holders and waiters. */
    void write(Connection connection, LockRow row) throws SQLException {
        writeWaiters(connection, row);
        writeHolders(connection, row);
    }

    /** Inserts new shared and permit holders, replaces changed ones and deletes those that are gone. */
    private void writeHolders(Connection connection, LockRow row) throws SQLException {
        List<Holder> current = row.sole() == null ? row.holders : List.of();
        Set<String> removed = new LinkedHashSet<>(row.storedHolders);
        List<Holder> added = new ArrayList<>();
        for (Holder holder : current) {
            if (!removed.remove(holder.owner)) {
                added.add(holder);
            } else if (holder.isChanged()) {
                removed.add(holder.owner);
                added.add(holder);
            }
        }
        delete(connection, "remove-holder", row.key, removed);
        if (!added.isEmpty()) {
            try (PreparedStatement insert = statements.prepare(connection, "add-holder")) {
                for (Holder holder : added) {
                    name(insert, row.key, holder.owner);
                    insert.setLong(4, holder.number);
                    insert.setString(5, ModeLetters.letter(holder.mode));
                    insert.setInt(6, holder.permits);
                    insert.setString(7, holder.label);
                    insert.setLong(8, holder.grantedAt);
                    insert.setLong(9, holder.leaseEnd);
                    insert.setLong(10, holder.recordEnd);
                    insert.addBatch();
                }
                insert.executeBatch();
            }
        }
    }

    private void writeWaiters(Connection connection, LockRow row) throws SQLException {
        removeDeparted(connection, row);
        Waiter arrival = row.arrival;
        if (arrival == null || hasPlace(connection, row, arrival)) {
            return;
        }
        row.lastPlace++;
        try (PreparedStatement insert = statements.prepare(connection, "add-waiter")) {
            dialect.setName(insert, 1, namespace);
            dialect.setName(insert, 2, row.key.name());
            insert.setLong(3, row.lastPlace);
            insert.setString(4, arrival.owner);
            insert.setString(5, ModeLetters.letter(arrival.mode));
            insert.setInt(6, arrival.permits);
            insert.setInt(7, arrival.capacity);
            insert.setLong(8, arrival.heartbeatWithin);
            insert.setLong(9, arrival.floor);
            insert.setString(10, arrival.channel);
            insert.setString(11, arrival.label);
            insert.executeUpdate();
        }
    }

    /**
     * Removes waiters that have left the queue. On PostgreSQL, a waiter that was granted the lock is notified and
     * counts its provisional lease from its last heartbeat, which may be later than the start of this step. The grant
     * therefore lasts until that heartbeat runs out; once the row is removed, no further heartbeat succeeds. On the
     * other databases a waiter learns of its grant by asking.
     */
    private void removeDeparted(Connection connection, LockRow row) throws SQLException {
        if (dialect != Dialect.POSTGRESQL || row.departed.isEmpty()) {
            delete(connection, "remove-waiter", row.key, row.departed);
            return;
        }
        try (PreparedStatement remove = statements.prepare(connection, "remove-waiter")) {
            for (String owner : row.departed) {
                name(remove, row.key, owner);
                try (ResultSet removed = remove.executeQuery()) {
                    Holder granted = row.holder(owner);
                    if (removed.next() && granted != null) {
                        granted.lastsUntil(removed.getLong(1));
                    }
                }
            }
        }
    }

    /** Whether a repeated request has a place already, perhaps behind the waiters that were read. */
    private boolean hasPlace(Connection connection, LockRow row, Waiter arrival) throws SQLException {
        if (!row.hasMoreWaiters && row.queue.get(arrival.owner) == arrival) {
            return false;
        }
        PlaceId place = new PlaceId(OwnerId.parse(arrival.owner), row.key);
        return !heartbeat(connection, List.of(place)).isEmpty();
    }

    private void delete(Connection connection, String statement, LockKey key, Collection<String> owners)
            throws SQLException {
        if (owners.isEmpty()) {
            return;
        }
        try (PreparedStatement delete = statements.prepare(connection, statement)) {
            for (String owner : owners) {
                name(delete, key, owner);
                delete.addBatch();
            }
            delete.executeBatch();
        }
    }
}
