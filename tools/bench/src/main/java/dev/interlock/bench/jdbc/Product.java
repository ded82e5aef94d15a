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

/** A database with what is said to it in its own words. */
enum Product {
    POSTGRESQL,
    MARIADB;

    private final String folder = name().toLowerCase(Locale.ROOT);

    /** The one behind a JDBC URL. */
    static Product of(String url) {
        for (Product product : values()) {
            if (url.startsWith("jdbc:" + product.folder + ':')) {
                return product;
            }
        }
        throw new IllegalArgumentException("No suite runs on this database: give the URL of PostgreSQL or MariaDB");
    }

    /** One of its statements, without comments. */
    String sql(String name) {
        String file = folder + '/' + name + ".sql";
        try (InputStream resource = Objects.requireNonNull(
                Product.class.getResourceAsStream(file), () -> "the statement " + file + " is missing")) {
            return new String(resource.readAllBytes(), UTF_8)
                    .replaceAll("(?m)--.*$", "")
                    .strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets the database count its rows, which it does by itself some time later. */
    void count(String url) throws SQLException {
        if (this == POSTGRESQL) {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute("VACUUM ANALYZE");
            }
        }
    }

    /** Creates everyone's tables in an empty database, before processes come that would all do so at once. */
    static void createTables(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String table : of(url).sql("tables").split(";", -1)) {
                if (!table.isBlank()) {
                    statement.execute(table);
                }
            }
        }
        try (var pool = Pools.usual(url)) {
            JdbcBackend.builder(pool).createSchemaIfMissing().build().close();
        }
    }
}
