package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.Holder;
import dev.interlock.jdbc.LockRow.Waiter;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.Place;
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

/** The tables of those who hold locks together, and of those who wait: rows that exist only while a lock is crowded. */
final class Crowd {
    /** So many of those who wait are looked at; if they do not do, the others have their turn with the next heartbeat. */
    private static final int MOST_WAITERS = 100;

    private final Dialect dialect;
    private final Statements statements;
    private final String namespace;

    Crowd(Dialect dialect, Statements statements, String namespace) {
        this.dialect = dialect;
        this.statements = statements;
        this.namespace = namespace;
    }

    /** Writes down that waiters were heard of; says of each whether it has a place. */
    boolean[] hear(Connection connection, List<Place> places) throws SQLException {
        try (PreparedStatement hear = statements.prepare(connection, "hear")) {
            for (Place place : places) {
                name(hear, place.key(), place.id().value());
                hear.addBatch();
            }
            return Statements.did(hear.executeBatch());
        }
    }

    /** The same for those who wait alone, on PostgreSQL. Who has a place is not heard of either while somebody has the lock's row. */
    boolean[] hearHeirs(Connection connection, List<Place> places) throws SQLException {
        Set<String> changed = new HashSet<>();
        try (PreparedStatement hear = statements.prepare(connection, "hear-heirs")) {
            hear.setArray(
                    1,
                    PostgresShortcuts.texts(
                            connection, places.stream().map(place -> place.key().name())));
            hear.setArray(
                    2,
                    PostgresShortcuts.texts(
                            connection, places.stream().map(place -> place.id().value())));
            hear.setString(3, namespace);
            hear.setString(4, namespace);
            try (ResultSet rows = hear.executeQuery()) {
                while (rows.next()) {
                    changed.add(named(rows.getString(1), rows.getString(2)));
                }
            }
        }
        boolean[] heard = new boolean[places.size()];
        for (int i = 0; i < heard.length; i++) {
            heard[i] = changed.contains(named(places.get(i)));
        }
        return heard;
    }

    private static String named(Place place) {
        return named(place.key().name(), place.id().value());
    }

    private static String named(String key, String owner) {
        return key + '\t' + owner;
    }

    /** Whether it waits alone. */
    boolean isHeir(Connection connection, Place place) throws SQLException {
        try (PreparedStatement look = statements.prepare(connection, "is-heir")) {
            name(look, place.key(), place.id().value());
            try (ResultSet found = look.executeQuery()) {
                return found.next();
            }
        }
    }

    /** Gives the one who waits alone a row, as the others have. Its lock's row is locked, for at most so long. */
    void settleHeir(Connection connection, LockRow row, long lockedMicros) throws SQLException {
        try (PreparedStatement settle = statements.prepare(connection, "settle-heir")) {
            dialect.setName(settle, 1, namespace);
            dialect.setName(settle, 2, row.key.name());
            settle.setLong(3, lockedMicros);
            settle.executeUpdate();
        }
        row.arrivals++;
        row.hasHeir = false;
    }

    /** How many are at most ahead of these waiters, for those that have a place. */
    Map<Place, Long> ahead(Connection connection, Collection<LockKey> keys, Collection<Place> places)
            throws SQLException {
        Map<Place, Long> ahead = new HashMap<>();
        try (PreparedStatement count = statements.naming(connection, "ahead", namespace, keys, places)) {
            Map<String, Long> byOwner = new HashMap<>();
            try (ResultSet counted = count.executeQuery()) {
                while (counted.next()) {
                    byOwner.put(named(dialect.getName(counted, 1), counted.getString(2)), counted.getLong(3));
                }
            }
            for (Place place : places) {
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

    /** How many wait for each of these locks. */
    void countWaiters(Connection connection, Collection<LockKey> keys, Map<LockKey, Integer> waiters)
            throws SQLException {
        try (PreparedStatement count = statements.naming(connection, "queue-lengths", namespace, keys);
                ResultSet counted = count.executeQuery()) {
            while (counted.next()) {
                waiters.put(LockKey.of(dialect.getName(counted, 1)), counted.getInt(2));
            }
        }
    }

    /** Reads who holds locks together with others, and locks their rows if the locks' own are: a renewal touches no others. */
    void readHolders(Connection connection, boolean locking, LeaseTable.Locked locked, Collection<LockKey> keys)
            throws SQLException {
        try (PreparedStatement select =
                        statements.naming(connection, locking ? "holders" : "holders-seen", namespace, keys);
                ResultSet found = select.executeQuery()) {
            while (found.next()) {
                if (!locking && !Modes.isKnown(found.getString(4))) {
                    continue; // one planted row must not hide the others from an operator
                }
                LockRow row = locked.row(LockKey.of(dialect.getName(found, 1)));
                Holder holder = new Holder(
                        found.getString(2),
                        found.getLong(3),
                        Modes.of(found.getString(4)),
                        found.getInt(5),
                        found.getLong(7),
                        found.getString(6),
                        found.getLong(8),
                        found.getLong(9));
                row.holders.add(holder);
                row.readTogether.add(holder.owner);
            }
        }
    }

    /** Drops those who have not been heard of, and reads the first of the others. */
    void readWaiters(Connection connection, LockRow row) throws SQLException {
        forgetDead(connection, row.key);
        try (PreparedStatement select = statements.prepare(connection, "waiters")) {
            dialect.setName(select, 1, namespace);
            dialect.setName(select, 2, row.key.name());
            select.setInt(3, MOST_WAITERS);
            try (ResultSet found = select.executeQuery()) {
                while (found.next()) {
                    Waiter waiter = new Waiter(
                            found.getString(2),
                            Modes.of(found.getString(3)),
                            found.getInt(4),
                            found.getInt(5),
                            found.getLong(6),
                            found.getLong(8),
                            found.getString(9),
                            found.getString(10),
                            found.getLong(7));
                    row.queue.put(waiter.owner, waiter);
                }
            }
        }
        row.more = row.queue.size() == MOST_WAITERS;
    }

    private void forgetDead(Connection connection, LockKey key) throws SQLException {
        try (PreparedStatement delete = statements.prepare(connection, "forget-dead")) {
            dialect.setName(delete, 1, namespace);
            dialect.setName(delete, 2, key.name());
            delete.executeUpdate();
        }
    }

    /** Writes what has changed about one lock. */
    void write(Connection connection, LockRow row) throws SQLException {
        writeWaiters(connection, row);
        writeHolders(connection, row);
    }

    /** Those who hold it together have rows of their own: written anew if they are new or have changed, deleted if they are gone. */
    private void writeHolders(Connection connection, LockRow row) throws SQLException {
        List<Holder> together = row.sole() == null ? row.holders : List.of();
        Set<String> gone = new LinkedHashSet<>(row.readTogether);
        List<Holder> come = new ArrayList<>();
        for (Holder holder : together) {
            if (!gone.remove(holder.owner)) {
                come.add(holder);
            } else if (holder.isChanged()) {
                gone.add(holder.owner);
                come.add(holder);
            }
        }
        delete(connection, "leave", row.key, gone);
        if (!come.isEmpty()) {
            try (PreparedStatement insert = statements.prepare(connection, "join")) {
                for (Holder holder : come) {
                    name(insert, row.key, holder.owner);
                    insert.setLong(4, holder.number);
                    insert.setString(5, Modes.letter(holder.mode));
                    insert.setInt(6, holder.permits);
                    insert.setString(7, holder.label);
                    insert.setLong(8, holder.since);
                    insert.setLong(9, holder.leaseEnd);
                    insert.setLong(10, holder.recordEnd);
                    insert.addBatch();
                }
                insert.executeBatch();
            }
        }
    }

    private void writeWaiters(Connection connection, LockRow row) throws SQLException {
        forget(connection, row);
        Waiter comer = row.comer;
        if (comer == null || hasPlace(connection, row, comer)) {
            return;
        }
        row.arrivals++;
        try (PreparedStatement insert = statements.prepare(connection, "queue")) {
            dialect.setName(insert, 1, namespace);
            dialect.setName(insert, 2, row.key.name());
            insert.setLong(3, row.arrivals);
            insert.setString(4, comer.owner);
            insert.setString(5, Modes.letter(comer.mode));
            insert.setInt(6, comer.permits);
            insert.setInt(7, comer.capacity);
            insert.setLong(8, comer.heardWithin);
            insert.setLong(9, comer.floor);
            insert.setString(10, comer.listener);
            insert.setString(11, comer.label);
            insert.executeUpdate();
        }
    }

    /**
     * Those who have left the queue. One that was granted the lock counts its right from when it was last heard of, which may be later than this step
     * has begun; from here on it is not heard of any more. Only where it is told of the grant: others are when they ask.
     */
    private void forget(Connection connection, LockRow row) throws SQLException {
        if (dialect != Dialect.POSTGRESQL || row.left.isEmpty()) {
            delete(connection, "forget", row.key, row.left);
            return;
        }
        try (PreparedStatement forget = statements.prepare(connection, "forget")) {
            for (String owner : row.left) {
                name(forget, row.key, owner);
                try (ResultSet heard = forget.executeQuery()) {
                    Holder granted = row.holder(owner);
                    if (heard.next() && granted != null) {
                        granted.lastsUntil(heard.getLong(1));
                    }
                }
            }
        }
    }

    /** Whoever asks again has its place already, maybe behind those that were read. */
    private boolean hasPlace(Connection connection, LockRow row, Waiter comer) throws SQLException {
        if (!row.more && row.queue.get(comer.owner) == comer) {
            return false;
        }
        try (PreparedStatement hear = statements.prepare(connection, "hear")) {
            name(hear, row.key, comer.owner);
            return hear.executeUpdate() > 0;
        }
    }

    private void delete(Connection connection, String how, LockKey key, Collection<String> owners) throws SQLException {
        if (owners.isEmpty()) {
            return;
        }
        try (PreparedStatement delete = statements.prepare(connection, how)) {
            for (String owner : owners) {
                name(delete, key, owner);
                delete.addBatch();
            }
            delete.executeBatch();
        }
    }
}
