package dev.interlock.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A data source that can be switched to another one, as a failover does. */
final class SwitchedSource implements DataSource {
    private volatile DataSource now;

    SwitchedSource(DataSource first) {
        this.now = first;
    }

    void to(DataSource next) {
        now = next;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return now.getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return now.getConnection(user, password);
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return now.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        now.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        now.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return now.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return now.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return now.isWrapperFor(type);
    }
}
