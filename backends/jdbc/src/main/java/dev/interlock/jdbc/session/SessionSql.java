package dev.interlock.jdbc.session;

import dev.interlock.transactions.internal.Dialect;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;

/** Reads the SQL files of a dialect and runs short queries. */
final class SessionSql {
    /** Rows that grant numbers are drawn from: few enough to keep forever, enough for writers not to collide. */
    static final int BUCKETS = 4096;

    private SessionSql() {}

    /** Reads a statement without its comments, which some drivers would send each time. */
    static String read(Dialect dialect, String name) {
        String file = dialect.folder() + "/" + name + ".sql";
        try (InputStream in = SessionSql.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("There is no statement " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replaceAll("(?m)--.*$", "")
                    .replace("${now}", dialect.now())
                    .trim();
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + file, e);
        }
    }

    /** The statements that create the tables. */
    static List<String> schema(Dialect dialect) {
        return Stream.of(read(dialect, "schema").split(";", -1))
                .filter(it -> !it.isBlank())
                .toList();
    }

    /** The bucket of a lock. Java specifies this hash, so all processes agree. */
    static int bucket(String id) {
        return Math.floorMod(id.hashCode(), BUCKETS);
    }

    /** Returns the first column of the first row, or an empty string if there is no row. */
    static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            return found.next() ? String.valueOf(found.getString(1)) : "";
        }
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Whether a query with one numeric parameter returns a row. */
    static boolean finds(Connection connection, String sql, long number) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, number);
            try (ResultSet found = statement.executeQuery()) {
                return found.next();
            }
        }
    }
}
