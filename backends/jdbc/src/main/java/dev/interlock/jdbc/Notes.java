package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The table of notes that processes leave for each other. Each writes its own rows only, and reads without locking, so none waits for another; a row that outlives
 * its time is removed by whoever reads it.
 */
final class Notes {
    /** What was read: the notes that count, and the ids of those that do not any more. */
    private record Read(List<WaitNote> notes, List<String> expired) {}

    private final Dialect dialect;
    private final Statements statements;
    private final String namespace;

    Notes(Dialect dialect, Statements statements, String namespace) {
        this.dialect = dialect;
        this.statements = statements;
        this.namespace = namespace;
    }

    List<WaitNote> exchange(Database database, WaitNotes exchanged) {
        int changes = exchanged.written().size() + exchanged.removed().size();
        if (changes > 0) {
            // Each note stands for itself: no transaction is needed around them.
            database.batch(changes, connection -> {
                write(connection, exchanged.written(), exchanged.kept());
                forget(connection, "forget-note", exchanged.removed());
                return true;
            });
        }
        if (!exchanged.read()) {
            return List.of();
        }
        Read read = database.statement(this::read);
        if (!read.expired().isEmpty()) {
            database.batch(read.expired().size(), connection -> {
                forget(connection, "purge-note", read.expired());
                return true;
            });
        }
        return read.notes();
    }

    /** Writes, reads and removes a note, to see whether that is allowed. */
    void probe(Connection connection) throws SQLException {
        WaitNote note = new WaitNote("probe-1", "");
        write(connection, List.of(note), Duration.ofSeconds(1));
        read(connection);
        forget(connection, "forget-note", List.of(note.id()));
    }

    private void write(Connection connection, List<WaitNote> notes, Duration kept) throws SQLException {
        if (notes.isEmpty()) {
            return;
        }
        try (PreparedStatement write = statements.prepare(connection, "note")) {
            for (WaitNote note :
                    notes.stream().sorted(Comparator.comparing(WaitNote::id)).toList()) {
                dialect.setName(write, 1, namespace);
                write.setString(2, note.id());
                write.setString(3, note.text());
                write.setLong(4, Micros.of(kept));
                write.addBatch();
            }
            write.executeBatch();
        }
    }

    private void forget(Connection connection, String how, Collection<String> ids) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        try (PreparedStatement forget = statements.prepare(connection, how)) {
            for (String id : ids.stream().sorted().toList()) {
                dialect.setName(forget, 1, namespace);
                forget.setString(2, id);
                forget.addBatch();
            }
            forget.executeBatch();
        }
    }

    private Read read(Connection connection) throws SQLException {
        List<WaitNote> notes = new ArrayList<>();
        List<String> expired = new ArrayList<>();
        try (PreparedStatement read = statements.prepare(connection, "notes")) {
            dialect.setName(read, 1, namespace);
            try (ResultSet rows = read.executeQuery()) {
                while (rows.next()) {
                    if (rows.getInt(3) == 1) {
                        notes.add(new WaitNote(rows.getString(1), rows.getString(2)));
                    } else {
                        expired.add(rows.getString(1));
                    }
                }
            }
        }
        return new Read(notes, expired);
    }
}
