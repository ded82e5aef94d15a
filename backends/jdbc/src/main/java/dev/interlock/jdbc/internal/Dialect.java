package dev.interlock.jdbc.internal;

import dev.interlock.lock.LockRefusedException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/** What the databases say differently; the rest of it is in the statements' files. */
public enum Dialect {
    /** By date_part, which is faster than EXTRACT, and exact: microseconds since 1970 have 51 of the 53 bits of a double. */
    POSTGRESQL("postgresql", "CAST(date_part('epoch', clock_timestamp()) * 1000000 AS BIGINT)"),
    MARIADB("mysql", "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))"),
    MYSQL("mysql", "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))"),
    H2("h2", "DATEDIFF('MICROSECOND', TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00', CURRENT_TIMESTAMP(6))");

    private final String folder;
    private final String now;

    Dialect(String folder, String now) {
        this.folder = folder;
        this.now = now;
    }

    /** The dialect that the database at the other end speaks. */
    public static Dialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        String name = product.toLowerCase(Locale.ROOT);
        if (name.contains("postgresql")) {
            return POSTGRESQL;
        }
        // Both drivers reach both servers, and not every one of them tells the product from its relative.
        if (name.contains("mariadb") || name.contains("mysql")) {
            String version =
                    connection.getMetaData().getDatabaseProductVersion().toLowerCase(Locale.ROOT);
            return name.contains("mariadb") || version.contains("mariadb") ? MARIADB : MYSQL;
        }
        if (name.equals("h2")) {
            return H2;
        }
        throw new LockRefusedException(product + " is not supported: locks need PostgreSQL, MariaDB, MySQL or H2");
    }

    public boolean isMySql() {
        return this == MYSQL || this == MARIADB;
    }

    /** The folder of its statements. */
    public String folder() {
        return folder;
    }

    /** The time by the database's clock, in microseconds since 1970. */
    public String now() {
        return now;
    }

    /** Names are text, or bytes where comparing text would take different names for the same or sort them otherwise. */
    public void setName(PreparedStatement statement, int index, String name) throws SQLException {
        if (this == POSTGRESQL) {
            statement.setString(index, name);
        } else {
            statement.setBytes(index, name.getBytes(StandardCharsets.UTF_8));
        }
    }

    public String getName(ResultSet row, int index) throws SQLException {
        return this == POSTGRESQL ? row.getString(index) : new String(row.getBytes(index), StandardCharsets.UTF_8);
    }
}
