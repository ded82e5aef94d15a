package dev.interlock.jdbc.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Whether what a database has committed survives its crash, by its settings. */
public final class Durability {
    private Durability() {}

    /** The setting because of which it may forget, with its value; empty if there is none. */
    public static String weakness(Connection connection, Dialect dialect) throws SQLException {
        return switch (dialect) {
            case POSTGRESQL ->
                !ask(connection, "SHOW fsync").equals("on")
                        ? "fsync is off"
                        : ask(connection, "SHOW synchronous_commit").equals("off") ? "synchronous_commit is off" : "";
            case MYSQL, MARIADB -> {
                String flush = ask(connection, "SELECT @@innodb_flush_log_at_trx_commit");
                if (!flush.equals("1")) {
                    yield "innodb_flush_log_at_trx_commit is " + flush + ", not 1";
                }
                // With a binary log it is that log which decides, after a crash, whether a transaction was committed.
                boolean logs = ask(connection, "SELECT @@log_bin").equals("1");
                String sync = ask(connection, "SELECT @@sync_binlog");
                yield !logs || sync.equals("1") ? "" : "sync_binlog is " + sync + ", not 1, and there is a binary log";
            }
            case H2 -> "H2 writes its commits later, see WRITE_DELAY";
        };
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            return found.next() ? found.getString(1) : "";
        }
    }
}
