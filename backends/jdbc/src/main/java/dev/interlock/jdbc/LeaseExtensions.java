package dev.interlock.jdbc;

import dev.interlock.spi.Renewal;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The statements that extend leases on every database. None of them revives an expired lease. */
final class LeaseExtensions {
    private final Dialect dialect;
    private final Statements statements;
    private final String namespace;
    private final LeaseTable table;

    LeaseExtensions(Dialect dialect, Statements statements, String namespace, LeaseTable table) {
        this.dialect = dialect;
        this.statements = statements;
        this.namespace = namespace;
        this.table = table;
    }

    /** Extends exclusive grants one by one. Returns, per grant, whether it was extended. */
    boolean[] exclusive(Connection connection, List<Renewal> renewals) throws SQLException {
        return extend(connection, "extend", renewals);
    }

    /** The same with one statement per lease length, if that extends the whole group; the others one by one. */
    boolean[] exclusiveInGroups(Connection connection, List<Renewal> renewals) throws SQLException {
        Map<List<Duration>, List<Renewal>> byLength = new LinkedHashMap<>();
        renewals.forEach(
                it -> byLength.computeIfAbsent(List.of(it.lease(), it.lockDelay()), length -> new ArrayList<>())
                        .add(it));
        Set<Renewal> extended = new HashSet<>();
        for (List<Renewal> equal : byLength.values()) {
            if (equal.size() > 1 && group(connection, equal) == equal.size()) {
                extended.addAll(equal);
            }
        }
        List<Renewal> others =
                renewals.stream().filter(it -> !extended.contains(it)).toList();
        boolean[] single = others.isEmpty() ? new boolean[0] : exclusive(connection, others);
        boolean[] done = new boolean[renewals.size()];
        for (int i = 0, j = 0; i < done.length; i++) {
            done[i] = extended.contains(renewals.get(i)) || single[j++];
        }
        return done;
    }

    private int group(Connection connection, List<Renewal> renewals) throws SQLException {
        long lease = Micros.of(renewals.get(0).lease());
        String sql = statements
                .get("extend-equal")
                .replace("${names}", Statements.marks("?", renewals.size()))
                .replace("${grants}", Statements.marks("(?, ?, ?)", renewals.size()));
        try (PreparedStatement extend = statements.limited(connection.prepareStatement(sql))) {
            extend.setLong(1, lease);
            extend.setLong(2, lease + Micros.of(renewals.get(0).lockDelay()));
            extend.setLong(3, lease);
            dialect.setName(extend, 4, namespace);
            int at = 5;
            for (Renewal renewal : renewals) {
                dialect.setName(extend, at++, renewal.grant().key().name());
            }
            for (Renewal renewal : renewals) {
                dialect.setName(extend, at++, renewal.grant().key().name());
                extend.setString(at++, renewal.grant().owner().value());
                extend.setLong(at++, renewal.grant().number());
            }
            return extend.executeUpdate();
        }
    }

    /** Extends shared and permit grants one by one. Returns, per grant, whether it was extended. */
    boolean[] shared(Connection connection, List<Renewal> renewals) throws SQLException {
        return extend(connection, "extend-shared", renewals);
    }

    private boolean[] extend(Connection connection, String statement, List<Renewal> renewals) throws SQLException {
        try (PreparedStatement extend = statements.prepare(connection, statement)) {
            for (Renewal renewal : renewals) {
                long lease = Micros.of(renewal.lease());
                extend.setLong(1, lease);
                extend.setLong(2, lease + Micros.of(renewal.lockDelay()));
                table.name(extend, 3, renewal.grant());
                extend.setLong(7, lease);
                extend.addBatch();
            }
            return Statements.changed(extend.executeBatch());
        }
    }
}
