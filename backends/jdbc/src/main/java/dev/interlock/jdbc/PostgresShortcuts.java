package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.Holder;
import dev.interlock.lock.LockMode;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.Renewal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Single statements on PostgreSQL for what takes a transaction elsewhere: several free locks or renewals, a queue
 * place, a hand-over. Each of them either does what {@link LockRow} would decide or changes nothing; then
 * {@link RowSteps} decides.
 */
final class PostgresShortcuts {
    /** The current holder, and the database's time. */
    record Busy(Holder holder, long now) {}

    private final Statements statements;
    private final String namespace;

    /** Prepares {@link #handOver} for warm connections. */
    final WarmConnections.Preparation handingOver;

    PostgresShortcuts(Statements statements, String namespace) {
        this.statements = statements;
        this.namespace = namespace;
        this.handingOver = connection -> statements.open(connection, "hand-over", false);
    }

    /** Takes all locks of an attempt if all are free and none has waiters; otherwise none. */
    List<Granted> takeAll(Connection connection, Attempt attempt) throws SQLException {
        List<Claim> claims = attempt.claims();
        Array names = texts(connection, claims.stream().map(claim -> claim.key().name()));
        Array leases = numbers(connection, claims.stream().map(claim -> Micros.of(claim.lease())));
        try (PreparedStatement take = statements.prepare(connection, "take-all")) {
            take.setString(1, namespace);
            take.setArray(2, names);
            take.setArray(3, names);
            take.setArray(4, leases);
            take.setLong(5, attempt.tokenFloor());
            take.setString(6, attempt.id().value());
            take.setString(7, attempt.label());
            take.setInt(8, claims.size());
            take.setString(9, namespace);
            Map<String, Long> taken = new HashMap<>();
            try (ResultSet found = take.executeQuery()) {
                while (found.next()) {
                    taken.put(found.getString(1), found.getLong(2));
                }
            }
            List<Granted> granted = new ArrayList<>(claims.size());
            for (Claim claim : claims) {
                Long number = taken.get(claim.key().name());
                if (number != null) {
                    granted.add(new Granted(new Grant(claim.key(), attempt.id(), number), claim.lease()));
                }
            }
            return granted;
        }
    }

    /** Queues behind an exclusive holder; null if there is no other exclusive holder. */
    @Nullable
    Busy queueUp(Connection connection, Attempt attempt, Claim claim, String channel) throws SQLException {
        try (PreparedStatement queue = statements.prepare(connection, "queue-up")) {
            queue.setString(1, namespace);
            queue.setString(2, claim.key().name());
            queue.setString(3, attempt.id().value());
            queue.setString(4, attempt.id().value());
            queue.setInt(5, claim.permits());
            queue.setInt(6, claim.capacity());
            queue.setLong(7, Micros.of(attempt.heartbeatWithin()));
            queue.setLong(8, attempt.tokenFloor());
            queue.setString(9, channel);
            queue.setString(10, attempt.label());
            return busy(queue);
        }
    }

    private static @Nullable Busy busy(PreparedStatement queue) throws SQLException {
        try (ResultSet found = queue.executeQuery()) {
            if (!found.next()) {
                return null;
            }
            Holder holder = new Holder(
                    found.getString(1),
                    found.getLong(2),
                    LockMode.EXCLUSIVE,
                    1,
                    found.getLong(3),
                    found.getString(4),
                    found.getLong(5),
                    Math.max(found.getLong(5), found.getLong(6)));
            return new Busy(holder, found.getLong(7));
        }
    }

    private void name(PreparedStatement statement, Grant grant) throws SQLException {
        statement.setString(1, namespace);
        statement.setString(2, grant.key().name());
        statement.setString(3, grant.owner().value());
        statement.setLong(4, grant.number());
    }

    /**
     * Ends a grant and hands the lock over to the first waiter; false if that takes more than one statement, for
     * example because the first waiter is dead or wants to share the lock.
     */
    boolean handOver(Connection connection, Grant grant) throws SQLException {
        try (PreparedStatement release = statements.prepare(connection, "hand-over")) {
            return handOver(release, grant);
        }
    }

    /** The same by a statement of {@link #handingOver}. */
    boolean handOver(PreparedStatement release, Grant grant) throws SQLException {
        name(release, grant);
        release.setString(5, namespace);
        release.setString(6, grant.key().name());
        try (ResultSet released = release.executeQuery()) {
            return released.next();
        }
    }

    /** Ends those of several grants that need no wait for a row, and returns them. */
    Set<Grant> releaseAll(Connection connection, List<Grant> grants) throws SQLException {
        try (PreparedStatement release = statements.prepare(connection, "release-all")) {
            name(release, connection, grants);
            release.setString(4, namespace);
            release.setString(5, namespace);
            return found(release, grants);
        }
    }

    /** Extends those of several exclusive grants that need no wait for a row, and returns them. */
    Set<Grant> extendMany(Connection connection, List<Renewal> renewals) throws SQLException {
        List<Grant> grants = renewals.stream().map(Renewal::grant).toList();
        try (PreparedStatement extend = statements.prepare(connection, "extend-many")) {
            name(extend, connection, grants);
            extend.setArray(4, numbers(connection, renewals.stream().map(renewal -> Micros.of(renewal.lease()))));
            extend.setArray(
                    5,
                    numbers(
                            connection,
                            renewals.stream()
                                    .map(renewal -> Micros.of(renewal.lease()) + Micros.of(renewal.lockDelay()))));
            extend.setString(6, namespace);
            extend.setString(7, namespace);
            return found(extend, grants);
        }
    }

    /** Sets the first three arrays of a statement: keys, owners and numbers of the grants. */
    private static void name(PreparedStatement statement, Connection connection, List<Grant> grants)
            throws SQLException {
        statement.setArray(
                1, texts(connection, grants.stream().map(grant -> grant.key().name())));
        statement.setArray(
                2, texts(connection, grants.stream().map(grant -> grant.owner().value())));
        statement.setArray(3, numbers(connection, grants.stream().map(Grant::number)));
    }

    /**
     * Returns the grants that a statement returned. Compares numbers too: a batch may also name a former grant of a
     * lock.
     */
    private static Set<Grant> found(PreparedStatement statement, List<Grant> grants) throws SQLException {
        Set<String> returned = new HashSet<>();
        try (ResultSet found = statement.executeQuery()) {
            while (found.next()) {
                returned.add(found.getLong(2) + " " + found.getString(1));
            }
        }
        return grants.stream()
                .filter(grant ->
                        returned.contains(grant.number() + " " + grant.key().name()))
                .collect(Collectors.toSet());
    }

    static Array texts(Connection connection, Stream<String> texts) throws SQLException {
        return connection.createArrayOf("text", texts.toArray());
    }

    private static Array numbers(Connection connection, Stream<Long> numbers) throws SQLException {
        return connection.createArrayOf("bigint", numbers.toArray());
    }
}
