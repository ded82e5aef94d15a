package dev.interlock.jdbc.session;

import dev.interlock.spi.StoreException;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The row with the namespace agreement. */
final class NamespaceRow {
    private final Dialect dialect;
    private final String namespace;
    private final String create;

    NamespaceRow(Dialect dialect, String namespace) {
        this.dialect = dialect;
        this.namespace = namespace;
        this.create = SessionSql.read(dialect, "create-namespace");
    }

    /** Replaces the expected agreement by the proposed one, and returns the agreement that is stored then. */
    String agree(Connection connection, String expected, String proposed) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(create)) {
            dialect.setName(insert, 1, namespace);
            dialect.setName(insert, 2, "");
            insert.executeUpdate();
        }
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE interlock_session_namespace SET agreement = ? WHERE namespace = ? AND agreement = ?")) {
            dialect.setName(update, 1, proposed);
            dialect.setName(update, 2, namespace);
            dialect.setName(update, 3, expected);
            update.executeUpdate();
        }
        try (PreparedStatement select =
                connection.prepareStatement("SELECT agreement FROM interlock_session_namespace WHERE namespace = ?")) {
            dialect.setName(select, 1, namespace);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw StoreException.refused(
                            "The namespace has lost its row in interlock_session_namespace: connect again");
                }
                return dialect.getName(row, 1);
            }
        }
    }
}
