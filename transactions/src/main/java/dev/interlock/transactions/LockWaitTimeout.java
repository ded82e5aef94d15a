package dev.interlock.transactions;

import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The session's limit for waiting on locked rows. Closing restores the previous value.
 *
 * <p>On PostgreSQL the limit is in milliseconds, for the whole statement, and lasts at most until the transaction
 * ends. On H2 it is in milliseconds per row. On MySQL and MariaDB it is in whole seconds per row, at least one.
 */
final class LockWaitTimeout implements AutoCloseable {
    private final Connection connection;
    private final Dialect dialect;
    private final String previous;
    private String current;

    LockWaitTimeout(Connection connection, Dialect dialect) throws SQLException {
        this.connection = connection;
        this.dialect = dialect;
        this.previous = query(
                switch (dialect) {
                    case POSTGRESQL -> "SELECT current_setting('statement_timeout')";
                    case MYSQL, MARIADB -> "SELECT @@innodb_lock_wait_timeout";
                    case H2 -> "SELECT LOCK_TIMEOUT()";
                });
        this.current = previous;
    }

    void set(Duration waitAtMost) throws SQLException {
        long millis = Math.max(1, waitAtMost.toMillis());
        set(Long.toString(dialect.isMySql() ? (millis + 999) / 1_000 : millis));
    }

    private void set(String value) throws SQLException {
        if (value.equals(current)) {
            return;
        }
        current = value;
        if (dialect == Dialect.POSTGRESQL) {
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT set_config('statement_timeout', ?, true)")) {
                statement.setString(1, value);
                statement.execute();
            }
            return;
        }
        String setting = dialect == Dialect.H2 ? "SET LOCK_TIMEOUT " : "SET SESSION innodb_lock_wait_timeout = ";
        try (PreparedStatement statement = connection.prepareStatement(setting + Long.parseLong(value))) {
            statement.execute();
        }
    }

    private String query(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public void close() throws SQLException {
        set(previous);
    }
}
