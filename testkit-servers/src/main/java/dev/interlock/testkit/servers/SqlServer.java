package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Programs;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One database server. Its JDBC driver comes from the class path of the test.
 *
 * <p>Each test uses a {@link #freshDatabase()} of its own.
 *
 * @since 0.1.0
 */
public abstract sealed class SqlServer extends ServerFixture permits PostgresServer, MariaDbServer, MySqlServer {
    private final Map<String, String> settings = new LinkedHashMap<>();
    private boolean steppableClock;

    SqlServer(String variable, boolean shared) {
        super(variable, shared);
    }

    /** The recipe with these settings. */
    abstract Recipe recipe(Map<String, String> chosen);

    /** The JDBC URL of a server that the fixture started. */
    abstract String urlOf(ServerNode node);

    /** The JDBC URL, user and password included. */
    public final String url() {
        requireStarted();
        return existing().orElseGet(() -> urlOf(node()));
    }

    /** The process. */
    public final ServerNode node() {
        return nodes().get(0);
    }

    /**
     * Opens a connection as a user with all privileges.
     *
     * @throws SQLException also if the driver is not on the class path
     */
    public final Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    /**
     * Creates a database for one test and returns its JDBC URL. On a server that the fixture did not start it is not
     * deleted; its name begins with {@code interlock_}.
     */
    public final String freshDatabase() throws SQLException {
        String name = "interlock_" + namespace().replace('-', '_');
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
        return url().replaceFirst("(//[^/]+/)[^?]*", "$1" + name);
    }

    final void setting(String name, String value) {
        requireNotStarted();
        settings.put(name, value);
    }

    final void clockCanBeStepped() {
        requireNotStarted();
        steppableClock = true;
    }

    @Override
    final void launch() {
        node(recipe(Map.copyOf(settings)), steppableClock);
    }

    /** Copies the files of a server that was set up before, since the set-up takes seconds. */
    static void copy(Path template, Path data) {
        Programs.run(List.of("cp", "-a", template + "/.", data.toString()), data);
    }
}
