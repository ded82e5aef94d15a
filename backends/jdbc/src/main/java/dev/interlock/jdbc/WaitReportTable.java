package dev.interlock.jdbc;

import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The wait reports that processes exchange to detect deadlocks. A process writes only its own rows and reads without
 * locking, so no process waits for another. An expired report is removed by any process that reads it.
 */
final class WaitReportTable {
    /** The valid reports, and the ids of the expired ones. */
    private record Reading(List<WaitReport> reports, List<String> expired) {}

    private final Dialect dialect;
    private final Statements statements;
    private final String namespace;

    WaitReportTable(Dialect dialect, Statements statements, String namespace) {
        this.dialect = dialect;
        this.statements = statements;
        this.namespace = namespace;
    }

    List<WaitReport> exchange(LockDatabase database, WaitReportExchange exchanged) {
        int changes = exchanged.written().size() + exchanged.removed().size();
        if (changes > 0) {
            // Reports are independent of each other, so they need no common transaction.
            database.batch(changes, connection -> {
                write(connection, exchanged.written(), exchanged.keepFor());
                remove(connection, "remove-wait-report", exchanged.removed());
                return true;
            });
        }
        if (!exchanged.read()) {
            return List.of();
        }
        Reading reading = database.statement(this::read);
        if (!reading.expired().isEmpty()) {
            database.batch(reading.expired().size(), connection -> {
                remove(connection, "remove-expired-wait-report", reading.expired());
                return true;
            });
        }
        return reading.reports();
    }

    /** Writes, reads and removes a report, to check the table and the user's rights. */
    void probe(Connection connection) throws SQLException {
        WaitReport report = new WaitReport("probe-1", "");
        write(connection, List.of(report), Duration.ofSeconds(1));
        read(connection);
        remove(connection, "remove-wait-report", List.of(report.id()));
    }

    private void write(Connection connection, List<WaitReport> reports, Duration validFor) throws SQLException {
        if (reports.isEmpty()) {
            return;
        }
        try (PreparedStatement write = statements.prepare(connection, "write-wait-report")) {
            for (WaitReport report : reports.stream()
                    .sorted(Comparator.comparing(WaitReport::id))
                    .toList()) {
                dialect.setName(write, 1, namespace);
                write.setString(2, report.id());
                write.setString(3, report.text());
                write.setLong(4, Micros.of(validFor));
                write.addBatch();
            }
            write.executeBatch();
        }
    }

    private void remove(Connection connection, String statement, Collection<String> ids) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        try (PreparedStatement remove = statements.prepare(connection, statement)) {
            for (String id : ids.stream().sorted().toList()) {
                dialect.setName(remove, 1, namespace);
                remove.setString(2, id);
                remove.addBatch();
            }
            remove.executeBatch();
        }
    }

    private Reading read(Connection connection) throws SQLException {
        List<WaitReport> reports = new ArrayList<>();
        List<String> expired = new ArrayList<>();
        try (PreparedStatement read = statements.prepare(connection, "read-wait-reports")) {
            dialect.setName(read, 1, namespace);
            try (ResultSet rows = read.executeQuery()) {
                while (rows.next()) {
                    if (rows.getInt(3) == 1) {
                        reports.add(new WaitReport(rows.getString(1), rows.getString(2)));
                    } else {
                        expired.add(rows.getString(1));
                    }
                }
            }
        }
        return new Reading(reports, expired);
    }
}
