package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.Holder;
import dev.interlock.jdbc.LockRow.Waiter;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.StoreException;
import dev.interlock.transactions.internal.Dialect;
import dev.interlock.transactions.internal.Durability;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Checks a database before it is used for locks, so that a missing table or right is reported at the start and by name.
 */
final class StartUp {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");

    /** Never committed, so no other process sees it. */
    private static final LockKey PROBE = LockKey.of("interlock", "probe");

    private static final String PROBE_OWNER = "0".repeat(32);

    private final LockDatabase database;
    private final LeaseTable table;

    StartUp(DataSource source, String namespace, Duration silenceLimit, int maxWarm) {
        try (Connection connection = source.getConnection()) {
            database = new LockDatabase(source, connection, name(connection), silenceLimit, maxWarm);
            table = new LeaseTable(database, namespace);
        } catch (SQLException e) {
            throw new StoreUnavailableException("No connection to the database of the locks: " + e.getMessage(), e);
        }
    }

    /** The address without anything that may be a password. */
    private static String name(Connection connection) throws SQLException {
        String url = String.valueOf(connection.getMetaData().getURL());
        return url.replaceAll("[?;].*", "").replaceAll("//[^/@]*@", "//");
    }

    LockDatabase database() {
        return database;
    }

    LeaseTable table() {
        return table;
    }

    void createSchema() {
        run(() -> database.statement(connection -> {
            try (Statement statement = connection.createStatement()) {
                for (String sql : new Statements(database.dialect(), database.timeouts()).schema()) {
                    create(statement, sql);
                }
            }
            return true;
        }));
    }

    /** Two processes may create a table at once. PostgreSQL then fails one of them in spite of IF NOT EXISTS. */
    private static void create(Statement statement, String sql) throws SQLException {
        try {
            statement.execute(sql);
        } catch (SQLException e) {
            if (!Set.of("23505", "42P07", "42710").contains(String.valueOf(e.getSQLState()))) {
                throw e;
            }
            statement.execute(sql);
        }
    }

    /** Runs the statements of locks once on every table and rolls them back. Only the namespace's row stays. */
    void probe() {
        run(() -> database.transaction(connection -> {
            table.createNamespace(connection);
            return true;
        }));
        run(() -> database.transaction(connection -> {
            table.agree(connection, String.valueOf(table.lockNamespace(connection)));
            table.insert(connection, List.of(PROBE));
            LeaseTable.Locked empty = table.lock(connection, List.of(PROBE));
            LockRow row = empty.row(PROBE);
            row.holders.add(new Holder(PROBE_OWNER, 1, LockMode.SHARED, 1, 0, "", 0, 0));
            row.arrival = new Waiter(PROBE_OWNER, LockMode.EXCLUSIVE, 1, 1, Long.MAX_VALUE / 4, 0, "", "", 0);
            row.queue.put(PROBE_OWNER, row.arrival);
            table.write(connection, List.of(row), empty.now());
            LeaseTable.Locked full = table.lock(connection, List.of(PROBE));
            LockRow read = full.row(PROBE);
            read.holders.clear();
            read.leave(PROBE_OWNER);
            table.write(connection, List.of(read), full.now());
            try (Statement delete = connection.createStatement()) {
                delete.executeUpdate("DELETE FROM interlock_lock WHERE 1 = 0");
            }
            table.waitReports().probe(connection);
            connection.rollback();
            return true;
        }));
    }

    /** Whether committed data survives a crash of the database. */
    boolean isDurable(boolean required) {
        String weakness =
                run(() -> database.statement(connection -> Durability.weakness(connection, database.dialect())));
        if (weakness.isEmpty()) {
            return true;
        }
        if (required) {
            throw new LockRefusedException(
                    database.name() + " may lose committed data in a crash, so tokens are not strict: " + weakness);
        }
        LOG.log(
                database.dialect() == Dialect.H2 ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                "{0} may lose committed data in a crash: {1}. Tokens still grow, unless it crashes while its clock"
                        + " steps back",
                database.name(),
                weakness);
        return false;
    }

    private interface Check<T> {
        T run();
    }

    private static <T> T run(Check<T> check) {
        try {
            return check.run();
        } catch (StoreException e) {
            throw e.isAnswered()
                    ? new LockRefusedException(String.valueOf(e.getMessage()))
                    : new StoreUnavailableException(String.valueOf(e.getMessage()), e);
        }
    }
}
