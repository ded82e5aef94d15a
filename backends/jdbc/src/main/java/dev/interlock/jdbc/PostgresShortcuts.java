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
 * Single statements of PostgreSQL for what takes a transaction elsewhere: several free locks or renewals, a place in the queue, a hand-over.
 * Each does its work or nothing; then the rows are locked and looked at, which decides every case.
 */
final class PostgresShortcuts {
    /** Who is in the way, and the database's time. */
    record Busy(Holder holder, long now) {}

    private final Statements statements;
    private final String namespace;

    /** For {@link #handToHeir} over connections that are kept. */
    final Kept.Preparation handingToHeir;

    /** For {@link #handOver} over connections that are kept. */
    final Kept.Preparation handingOver;

    PostgresShortcuts(Statements statements, String namespace) {
        this.statements = statements;
        this.namespace = namespace;
        this.handingToHeir = connection -> statements.open(connection, "hand-to-heir", false);
        this.handingOver = connection -> statements.open(connection, "hand-over", false);
    }

    /** Takes all locks of an attempt, if nobody holds or waits for any; otherwise none. */
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

    /** Queues for a lock that somebody else has exclusively; null if that is not how it is. */
    @Nullable
    Busy queueUp(Connection connection, Attempt attempt, Claim claim, String listener) throws SQLException {
        try (PreparedStatement queue = statements.prepare(connection, "queue-up")) {
            queue.setString(1, namespace);
            queue.setString(2, claim.key().name());
            queue.setString(3, attempt.id().value());
            queue.setString(4, attempt.id().value());
            queue.setInt(5, claim.permits());
            queue.setInt(6, claim.capacity());
            queue.setLong(7, Micros.of(attempt.heardWithin()));
            queue.setLong(8, attempt.tokenFloor());
            queue.setString(9, listener);
            queue.setString(10, attempt.label());
            return busy(queue);
        }
    }

    /** The same as the only one who waits for it; null if somebody else does already. */
    @Nullable
    Busy inherit(Connection connection, Attempt attempt, Claim claim, String listener) throws SQLException {
        try (PreparedStatement queue = statements.prepare(connection, "inherit")) {
            queue.setString(1, attempt.id().value());
            queue.setString(2, listener);
            queue.setString(3, attempt.label());
            queue.setLong(4, Micros.of(attempt.heardWithin()));
            queue.setLong(5, attempt.tokenFloor());
            queue.setString(6, namespace);
            queue.setString(7, claim.key().name());
            queue.setString(8, attempt.id().value());
            queue.setString(9, attempt.id().value());
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
                    LeaseTable.since(found.getLong(3), found.getLong(5)),
                    found.getString(4),
                    found.getLong(5),
                    Math.max(found.getLong(5), found.getLong(6)));
            return new Busy(holder, found.getLong(7));
        }
    }

    /** Ends a grant and gives the lock to the one who waits for it alone; false if that is not how it is. */
    boolean handToHeir(Connection connection, Grant grant) throws SQLException {
        try (PreparedStatement give = statements.prepare(connection, "hand-to-heir")) {
            return handToHeir(give, grant);
        }
    }

    /** The same by a statement of {@link #handingToHeir}. */
    boolean handToHeir(PreparedStatement give, Grant grant) throws SQLException {
        name(give, grant);
        try (ResultSet given = give.executeQuery()) {
            return given.next();
        }
    }

    private void name(PreparedStatement statement, Grant grant) throws SQLException {
        statement.setString(1, namespace);
        statement.setString(2, grant.key().name());
        statement.setString(3, grant.owner().value());
        statement.setLong(4, grant.number());
    }

    /** Ends a grant and gives the lock to the first of those who wait; false if that is not for one statement, for example because the first is not alive. */
    boolean handOver(Connection connection, Grant grant) throws SQLException {
        try (PreparedStatement give = statements.prepare(connection, "hand-over")) {
            return handOver(give, grant);
        }
    }

    /** The same by a statement of {@link #handingOver}. */
    boolean handOver(PreparedStatement give, Grant grant) throws SQLException {
        name(give, grant);
        give.setString(5, namespace);
        give.setString(6, grant.key().name());
        try (ResultSet given = give.executeQuery()) {
            return given.next();
        }
    }

    /** Ends those of several grants that it can without waiting for anybody; answers which. */
    Set<Grant> giveAll(Connection connection, List<Grant> grants) throws SQLException {
        try (PreparedStatement give = statements.prepare(connection, "give-all")) {
            name(give, connection, grants);
            give.setString(4, namespace);
            give.setString(5, namespace);
            return found(give, grants);
        }
    }

    /** Extends those of several exclusive grants that it can without waiting for anybody; answers which. */
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

    /** Names grants in the first three arrays of a statement: by key, owner and number. */
    private static void name(PreparedStatement statement, Connection connection, List<Grant> grants)
            throws SQLException {
        statement.setArray(
                1, texts(connection, grants.stream().map(grant -> grant.key().name())));
        statement.setArray(
                2, texts(connection, grants.stream().map(grant -> grant.owner().value())));
        statement.setArray(3, numbers(connection, grants.stream().map(Grant::number)));
    }

    /** Those of the grants that a statement answers. By number too: a batch may also name a former grant of a lock. */
    private static Set<Grant> found(PreparedStatement statement, List<Grant> grants) throws SQLException {
        Set<String> answered = new HashSet<>();
        try (ResultSet found = statement.executeQuery()) {
            while (found.next()) {
                answered.add(found.getLong(2) + " " + found.getString(1));
            }
        }
        return grants.stream()
                .filter(grant ->
                        answered.contains(grant.number() + " " + grant.key().name()))
                .collect(Collectors.toSet());
    }

    static Array texts(Connection connection, Stream<String> texts) throws SQLException {
        return connection.createArrayOf("text", texts.toArray());
    }

    private static Array numbers(Connection connection, Stream<Long> numbers) throws SQLException {
        return connection.createArrayOf("bigint", numbers.toArray());
    }
}
