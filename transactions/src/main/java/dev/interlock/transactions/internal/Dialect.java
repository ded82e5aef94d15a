package dev.interlock.transactions.internal;

import dev.interlock.lock.LockRefusedException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/** A supported database product, with the SQL that differs between products. Longer statements are resource files. */
public enum Dialect {
    /**
     * Uses date_part, which is faster than EXTRACT. It is exact: microseconds since 1970 need 51 of a double's 53
     * bits.
     */
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

    /**
     * Returns the dialect of the connected database.
     *
     * @throws LockRefusedException if the product is not supported
     */
    public static Dialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        String name = product.toLowerCase(Locale.ROOT);
        if (name.contains("postgresql")) {
            return POSTGRESQL;
        }
        // Either driver can connect to either server, and some report the wrong one of the two as the product name.
        if (name.contains("mariadb") || name.contains("mysql")) {
            String version =
                    connection.getMetaData().getDatabaseProductVersion().toLowerCase(Locale.ROOT);
            return name.contains("mariadb") || version.contains("mariadb") ? MARIADB : MYSQL;
        }
        if (name.equals("h2")) {
            return H2;
        }
        throw new LockRefusedException(product + " is not supported: use PostgreSQL, MariaDB, MySQL or H2");
    }

    public boolean isMySql() {
        return this == MYSQL || this == MARIADB;
    }

    /** Returns the resource folder of its statements. */
    public String folder() {
        return folder;
    }

    /** Returns an SQL expression for the database's clock, in microseconds since 1970. */
    public String now() {
        return now;
    }

    /**
     * Binds a lock name. Columns hold it as bytes where the default collation would treat different names as equal, or
     * sort them in another order.
     */
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
