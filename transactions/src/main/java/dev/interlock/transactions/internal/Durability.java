package dev.interlock.transactions.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Checks by the settings of a database whether its commits survive a crash. */
public final class Durability {
    private Durability() {}

    /** Returns the setting because of which a crash can lose commits, with its value, or an empty string. */
    public static String weakness(Connection connection, Dialect dialect) throws SQLException {
        return switch (dialect) {
            case POSTGRESQL ->
                !query(connection, "SHOW fsync").equals("on")
                        ? "fsync is off"
                        : query(connection, "SHOW synchronous_commit").equals("off") ? "synchronous_commit is off" : "";
            case MYSQL, MARIADB -> {
                String flush = query(connection, "SELECT @@innodb_flush_log_at_trx_commit");
                if (!flush.equals("1")) {
                    yield "innodb_flush_log_at_trx_commit is " + flush + ", not 1";
                }
                // If there is a binary log, crash recovery uses it to decide which transactions were committed.
                boolean logs = query(connection, "SELECT @@log_bin").equals("1");
                String sync = query(connection, "SELECT @@sync_binlog");
                yield !logs || sync.equals("1") ? "" : "sync_binlog is " + sync + ", not 1, and there is a binary log";
            }
            case H2 -> "H2 writes its commits to disk with a delay (WRITE_DELAY)";
        };
    }

    private static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            return found.next() ? found.getString(1) : "";
        }
    }
}
