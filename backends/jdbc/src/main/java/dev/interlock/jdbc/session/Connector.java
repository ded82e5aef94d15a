package dev.interlock.jdbc.session;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;

/** Opens connections that nobody else uses. */
interface Connector {
    Connection open() throws SQLException;

    static Connector of(DataSource source) {
        return source::getConnection;
    }

    /** The driver takes what the URL says before what the properties say. */
    static Connector of(String url, Properties properties) {
        return () -> DriverManager.getConnection(url, properties);
    }

    /** A connection in the state in which sessions begin, whatever the data source or the user's settings say. */
    static Connection open(Connector connector, int silenceMillis) throws SQLException {
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
