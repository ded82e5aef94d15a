package dev.interlock.jdbc.tx;

import dev.interlock.jdbc.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * How long statements of a session wait for locked rows; closing it puts back what was set before.
 *
 * <p>PostgreSQL counts in milliseconds for the whole statement and only until the transaction ends, H2 in milliseconds for each row, MySQL and
 * MariaDB in whole seconds for each row, at least one.
 */
final class LockWait implements AutoCloseable {
    private final Connection connection;
    private final Dialect dialect;
    private final String before;
    private String now;

    LockWait(Connection connection, Dialect dialect) throws SQLException {
        this.connection = connection;
        this.dialect = dialect;
        this.before = ask(
                switch (dialect) {
                    case POSTGRESQL -> "SELECT current_setting('statement_timeout')";
                    case MYSQL, MARIADB -> "SELECT @@innodb_lock_wait_timeout";
                    case H2 -> "SELECT LOCK_TIMEOUT()";
                });
        this.now = before;
    }

    void atMost(Duration patience) throws SQLException {
        long millis = Math.max(1, patience.toMillis());
        set(Long.toString(dialect.isMySql() ? (millis + 999) / 1_000 : millis));
    }

    private void set(String value) throws SQLException {
        if (value.equals(now)) {
            return;
        }
        now = value;
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

    private String ask(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public void close() throws SQLException {
        set(before);
    }
}
