package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.Place;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The statements of one dialect by the names of their files: its own first, the common ones otherwise. */
final class Statements {
    private final Dialect dialect;
    private final Overdue overdue;
    private final Map<String, String> texts = new ConcurrentHashMap<>();

    /** A row that somebody else keeps locked for too long is given up: somebody hangs, and must not take us along. */
    Statements(Dialect dialect, Overdue overdue) {
        this.dialect = dialect;
        this.overdue = overdue;
    }

    /** Without comments, which some drivers would send along each time. */
    String get(String name) {
        return texts.computeIfAbsent(name, it -> {
            String own = read(dialect.folder() + "/" + it + ".sql");
            String text = own != null ? own : read("common/" + it + ".sql");
            if (text == null) {
                throw new IllegalStateException("There is no statement " + it);
            }
            return text.replaceAll("(?m)--.*$", "")
                    .replace("${now}", dialect.now())
                    .trim();
        });
    }

    /** Ready to be filled in. */
    PreparedStatement prepare(Connection connection, String name) throws SQLException {
        return limited(connection.prepareStatement(get(name)));
    }

    /** The same, if wanted with the key that it generates. */
    PreparedStatement prepare(Connection connection, String name, boolean withKey) throws SQLException {
        return limited(open(connection, name, withKey));
    }

    /** The same, with a column of the row that it changes; for databases that can say so. */
    PreparedStatement drawing(Connection connection, String name, String column) throws SQLException {
        return limited(connection.prepareStatement(get(name), new String[] {column}));
    }

    /** One that stays open, and is limited anew each time it is used. */
    PreparedStatement open(Connection connection, String name, boolean withKey) throws SQLException {
        return connection.prepareStatement(
                get(name), withKey ? Statement.RETURN_GENERATED_KEYS : Statement.NO_GENERATED_KEYS);
    }

    /** One about several locks, with their names filled in. */
    PreparedStatement naming(Connection connection, String name, String namespace, Collection<LockKey> keys)
            throws SQLException {
        return naming(connection, name, namespace, keys, List.of());
    }

    /** One about places in the queues of several locks, with their names and owners filled in. */
    PreparedStatement naming(
            Connection connection, String name, String namespace, Collection<LockKey> keys, Collection<Place> places)
            throws SQLException {
        String sql =
                get(name).replace("${names}", marks("?", keys.size())).replace("${owners}", marks("?", places.size()));
        PreparedStatement statement = limited(connection.prepareStatement(sql));
        int index = 1;
        dialect.setName(statement, index++, namespace);
        for (LockKey key : keys) {
            dialect.setName(statement, index++, key.name());
        }
        for (Place place : places) {
            statement.setString(index++, place.id().value());
        }
        return statement;
    }

    static String marks(String mark, int count) {
        return String.join(", ", Collections.nCopies(count, mark));
    }

    /** One that was made elsewhere, with the same limit as the others. */
    PreparedStatement limited(PreparedStatement statement) {
        overdue.begin(statement);
        return statement;
    }

    /** Those that create the tables. */
    List<String> schema() {
        return Stream.of(get("schema").split(";", -1))
                .filter(it -> !it.isBlank())
                .toList();
    }

    private static @Nullable String read(String file) {
        try (InputStream in = Statements.class.getResourceAsStream(file)) {
            return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + file, e);
        }
    }

    /** Of which statements of a batch it is true that they changed something. */
    static boolean[] did(int[] counts) {
        boolean[] did = new boolean[counts.length];
        for (int i = 0; i < counts.length; i++) {
            did[i] = counts[i] > 0;
        }
        return did;
    }
}
