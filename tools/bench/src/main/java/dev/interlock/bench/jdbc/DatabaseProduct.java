package dev.interlock.bench.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.jdbc.JdbcBackend;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Objects;

/** A database product and its SQL statements. */
enum DatabaseProduct {
    POSTGRESQL,
    MARIADB;

    private final String folder = name().toLowerCase(Locale.ROOT);

    /** The product of a JDBC URL. */
    static DatabaseProduct of(String url) {
        for (DatabaseProduct product : values()) {
            if (url.startsWith("jdbc:" + product.folder + ':')) {
                return product;
            }
        }
        throw new IllegalArgumentException("Unsupported database: give the URL of PostgreSQL or MariaDB");
    }

    /** Returns one of its statements, without comments. */
    String sql(String name) {
        String file = folder + '/' + name + ".sql";
        try (InputStream resource = Objects.requireNonNull(
                DatabaseProduct.class.getResourceAsStream(file), () -> "the statement " + file + " is missing")) {
            return new String(resource.readAllBytes(), UTF_8)
                    .replaceAll("(?m)--.*$", "")
                    .strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Updates the statistics of the database, which it would otherwise do by itself at some later time. */
    void count(String url) throws SQLException {
        if (this == POSTGRESQL) {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute("VACUUM ANALYZE");
            }
        }
    }

    /** Creates the tables of all contenders in an empty database, before several processes would try to. */
    static void createTables(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String table : of(url).sql("tables").split(";", -1)) {
                if (!table.isBlank()) {
                    statement.execute(table);
                }
            }
        }
        try (var pool = ConnectionPools.usual(url)) {
            JdbcBackend.builder(pool).createSchemaIfMissing().build().close();
        }
    }
}
