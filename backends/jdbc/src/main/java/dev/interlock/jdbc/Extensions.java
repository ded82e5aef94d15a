package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.spi.Renewal;
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

/** The statements that make leases longer, on every database. None of them revives a lease. */
final class Extensions {
    private final Dialect dialect;
    private final Statements statements;
    private final String namespace;
    private final LeaseTable table;

    Extensions(Dialect dialect, Statements statements, String namespace, LeaseTable table) {
        this.dialect = dialect;
        this.statements = statements;
        this.namespace = namespace;
        this.table = table;
    }

    /** Extends grants that are held alone; says of each whether it did. */
    boolean[] alone(Connection connection, List<Renewal> renewals) throws SQLException {
        return extend(connection, "extend", renewals);
    }

    /**
     * The same by one statement for all that have the same terms, where each of these is extended; the others one by one.
     */
    boolean[] all(Connection connection, List<Renewal> renewals) throws SQLException {
        Map<List<Duration>, List<Renewal>> byTerms = new LinkedHashMap<>();
        renewals.forEach(it -> byTerms.computeIfAbsent(List.of(it.lease(), it.lockDelay()), terms -> new ArrayList<>())
                .add(it));
        Set<Renewal> extended = new HashSet<>();
        for (List<Renewal> group : byTerms.values()) {
            if (group.size() > 1 && alike(connection, group) == group.size()) {
                extended.addAll(group);
            }
        }
        List<Renewal> others =
                renewals.stream().filter(it -> !extended.contains(it)).toList();
        boolean[] single = others.isEmpty() ? new boolean[0] : alone(connection, others);
        boolean[] did = new boolean[renewals.size()];
        for (int i = 0, j = 0; i < did.length; i++) {
            did[i] = extended.contains(renewals.get(i)) || single[j++];
        }
        return did;
    }

    private int alike(Connection connection, List<Renewal> renewals) throws SQLException {
        long lease = Micros.of(renewals.get(0).lease());
        String sql = statements
                .get("extend-all")
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

    /** Extends grants that are held together with others; says of each whether it did. */
    boolean[] together(Connection connection, List<Renewal> renewals) throws SQLException {
        return extend(connection, "extend-one", renewals);
    }

    private boolean[] extend(Connection connection, String how, List<Renewal> renewals) throws SQLException {
        try (PreparedStatement extend = statements.prepare(connection, how)) {
            for (Renewal renewal : renewals) {
                long lease = Micros.of(renewal.lease());
                extend.setLong(1, lease);
                extend.setLong(2, lease + Micros.of(renewal.lockDelay()));
                table.name(extend, 3, renewal.grant());
                extend.setLong(7, lease);
                extend.addBatch();
            }
            return Statements.did(extend.executeBatch());
        }
    }
}
