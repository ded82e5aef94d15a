package dev.interlock.testkit.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What MariaDB and MySQL have in common. */
final class MySqlProtocol {
    /** The user of all tests. It has all privileges and can log in on loopback only. */
    static final String LOGIN = "user=interlock&password=interlock";

    private static final int PATIENCE_MILLIS = 2_000;
    private static final int HEADER = 4;
    private static final int VERSION_10 = 10;

    private MySqlProtocol() {}

    /** The server speaks first: it sends a greeting, or an error while it is not ready. */
    static boolean greets(int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            byte[] start = socket.getInputStream().readNBytes(HEADER + 1);
            return start.length == HEADER + 1 && start[HEADER] == VERSION_10;
        }
    }

    /** The arguments that both programs understand. */
    static List<String> arguments(Path base, Path data, int port) {
        return List.of(
                "--no-defaults",
                "--basedir=" + base,
                "--datadir=" + data,
                "--socket=" + data.resolveSibling("socket"),
                "--pid-file=" + data.resolveSibling("pid"),
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--skip-ssl",
                "--skip-name-resolve",
                "--innodb-buffer-pool-size=64M",
                "--init-file=" + data.resolveSibling("users.sql"));
    }

    /** The settings as command-line options. Root must be named, or the server refuses to run as root. */
    static List<String> options(Map<String, String> settings) {
        return Stream.concat(
                        Root.isRoot() ? Stream.of("--user=root") : Stream.empty(),
                        settings.entrySet().stream().map(it -> "--" + it.getKey() + "=" + it.getValue()))
                .toList();
    }

    /** Runs at every start, so a server that was restarted empty has the user too. */
    static String createUser(String identified) {
        return "CREATE USER IF NOT EXISTS 'interlock'@'127.0.0.1' " + identified + ";\n"
                + "GRANT ALL ON *.* TO 'interlock'@'127.0.0.1' WITH GRANT OPTION;\n";
    }

    static void killConnection(SqlServer server, long connectionId) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("KILL CONNECTION " + connectionId);
        }
    }
}
