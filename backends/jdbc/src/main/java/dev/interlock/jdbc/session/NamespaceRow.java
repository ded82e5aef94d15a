package dev.interlock.jdbc.session;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.spi.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The row with what a namespace has agreed on. */
final class NamespaceRow {
    private final Dialect dialect;
    private final String namespace;
    private final String found;

    NamespaceRow(Dialect dialect, String namespace) {
        this.dialect = dialect;
        this.namespace = namespace;
        this.found = SessionSql.read(dialect, "found");
    }

    /** Replaces what is expected by what is proposed, and answers what is there then. */
    String agree(Connection connection, String expected, String proposed) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(found)) {
            dialect.setName(insert, 1, namespace);
            dialect.setName(insert, 2, "");
            insert.executeUpdate();
        }
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE interlock_session_namespace SET terms = ? WHERE namespace = ? AND terms = ?")) {
            dialect.setName(update, 1, proposed);
            dialect.setName(update, 2, namespace);
            dialect.setName(update, 3, expected);
            update.executeUpdate();
        }
        try (PreparedStatement select =
                connection.prepareStatement("SELECT terms FROM interlock_session_namespace WHERE namespace = ?")) {
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
