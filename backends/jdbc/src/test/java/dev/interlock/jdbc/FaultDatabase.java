package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.testkit.servers.SqlServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One database with the tables of locks on a real server, which is reached directly or through proxies.
 *
 * <p>Runs stay apart by their namespaces. Questions to it go over connections of their own, past all pools and proxies.
 */
final class FaultDatabase implements BeforeAllCallback, AfterAllCallback {
    private final SqlServer server;
    private final Dialect dialect;
    private @Nullable String url;

    FaultDatabase(SqlServer server, Dialect dialect) {
        this.server = server;
        this.dialect = dialect;
    }

    SqlServer server() {
        return server;
    }

    Dialect dialect() {
        return dialect;
    }

    String url() {
        if (url == null) {
            throw new IllegalStateException("The database has not been made yet");
        }
        return url;
    }

    /** The same database by way of a proxy. Every request shows its statement, which a driver otherwise sends only once. */
    String url(FaultProxy proxy) {
        String through = url().replace(server.node().address(), "127.0.0.1:" + proxy.port());
        return dialect == Dialect.POSTGRESQL ? through + "&prepareThreshold=0" : through;
    }

    Framing framing() {
        return dialect == Dialect.POSTGRESQL ? Framing.postgres() : Framing.mysql();
    }

    FaultProxy proxy(Framing words) {
        return FaultProxy.to("127.0.0.1", server.node().port(), words);
    }

    /** Puts a value or two in and gets a number, or none, out; names are bound as the dialect wants them. */
    long number(String sql, String... names) {
        try (Connection connection = DriverManager.getConnection(url());
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < names.length; i++) {
                dialect.setName(statement, i + 1, names[i]);
            }
            try (ResultSet found = statement.executeQuery()) {
                return found.next() ? found.getLong(1) : -1;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(url());
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /** Ends all sessions but those that were opened here, as an operator would; gives how many there were. */
    int endSessions() throws SQLException {
        String list = dialect == Dialect.POSTGRESQL
                ? "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                : "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()";
        String end = server instanceof PostgresServer ? "SELECT pg_terminate_backend(%d)" : "KILL CONNECTION %d";
        int ended = 0;
        try (Connection connection = DriverManager.getConnection(url());
                var asking = connection.createStatement();
                var ending = connection.createStatement();
                ResultSet sessions = asking.executeQuery(list)) {
            while (sessions.next()) {
                try {
                    ending.execute(String.format(end, sessions.getLong(1)));
                    ended++;
                } catch (SQLException e) {
                    // It has ended by itself.
                }
            }
        }
        return ended;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws SQLException {
        server.beforeAll(context);
        url = server.freshDatabase();
        try (HikariDataSource pool = Pools.of(url, 1)) {
            JdbcBackend.builder(pool).createSchemaIfMissing().build();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        server.afterAll(context);
    }
}
