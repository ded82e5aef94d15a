package dev.interlock.jdbc;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.PlaceId;
import dev.interlock.transactions.internal.Dialect;
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

/** The SQL statements of one dialect, by file name: the dialect's own file, or else the common one. */
final class Statements {
    private final Dialect dialect;
    private final StatementTimeouts timeouts;
    private final Map<String, String> texts = new ConcurrentHashMap<>();

    /**
     * A statement that waits too long for a locked row is cancelled, so that a stopped process does not stop this one.
     */
    Statements(Dialect dialect, StatementTimeouts timeouts) {
        this.dialect = dialect;
        this.timeouts = timeouts;
    }

    /** Returns the text of a statement without comments, which some drivers would send each time. */
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

    PreparedStatement prepare(Connection connection, String name) throws SQLException {
        return limited(connection.prepareStatement(get(name)));
    }

    /** The same, optionally with the generated key. */
    PreparedStatement prepare(Connection connection, String name, boolean withKey) throws SQLException {
        return limited(open(connection, name, withKey));
    }

    /** Prepares a statement that stays open. Its time limit starts with each use. */
    PreparedStatement open(Connection connection, String name, boolean withKey) throws SQLException {
        return connection.prepareStatement(
                get(name), withKey ? Statement.RETURN_GENERATED_KEYS : Statement.NO_GENERATED_KEYS);
    }

    /** Prepares a statement about several locks and sets their names. */
    PreparedStatement naming(Connection connection, String name, String namespace, Collection<LockKey> keys)
            throws SQLException {
        return naming(connection, name, namespace, keys, List.of());
    }

    /** Prepares a statement about queue places and sets their names and owners. */
    PreparedStatement naming(
            Connection connection, String name, String namespace, Collection<LockKey> keys, Collection<PlaceId> places)
            throws SQLException {
        String sql =
                get(name).replace("${names}", marks("?", keys.size())).replace("${owners}", marks("?", places.size()));
        PreparedStatement statement = limited(connection.prepareStatement(sql));
        int index = 1;
        dialect.setName(statement, index++, namespace);
        for (LockKey key : keys) {
            dialect.setName(statement, index++, key.name());
        }
        for (PlaceId place : places) {
            statement.setString(index++, place.id().value());
        }
        return statement;
    }

    static String marks(String mark, int count) {
        return String.join(", ", Collections.nCopies(count, mark));
    }

    /** Applies the time limit to a statement. */
    PreparedStatement limited(PreparedStatement statement) {
        timeouts.begin(statement);
        return statement;
    }

    /** The statements that create the tables. */
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

    /** Returns, per statement of a batch, whether it changed a row. */
    static boolean[] changed(int[] counts) {
        boolean[] changed = new boolean[counts.length];
        for (int i = 0; i < counts.length; i++) {
            changed[i] = counts[i] > 0;
        }
        return changed;
    }
}
