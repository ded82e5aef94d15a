package dev.interlock.jdbc.session;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;

/** Opens connections that are not shared. */
interface SessionConnector {
    Connection open() throws SQLException;

    static SessionConnector of(DataSource source) {
        return source::getConnection;
    }

    /** The driver lets the URL override the properties. */
    static SessionConnector of(String url, Properties properties) {
        return () -> DriverManager.getConnection(url, properties);
    }

    /** Opens a connection and sets what a session needs, whatever the data source or the user has configured. */
    static Connection open(SessionConnector connector, int silenceMillis) throws SQLException {
        Connection connection = connector.open();
        try {
            connection.setNetworkTimeout(Runnable::run, silenceMillis);
            connection.setAutoCommit(true);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            return connection;
        } catch (SQLException | RuntimeException e) {
            try {
                connection.close();
            } catch (SQLException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }
}
