package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.Holder;
import dev.interlock.jdbc.LockRow.Waiter;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.jdbc.internal.Durability;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.OwnerId;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Place;
import dev.interlock.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** Looks at a database before it is trusted with locks, so that what is missing is told at the start and by name. */
final class StartUp {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");

    /** Never committed, so it is nobody's lock. */
    private static final LockKey PROBE = LockKey.of("interlock", "probe");

    private static final String NOBODY = "0".repeat(32);

    private final Database database;
    private final LeaseTable table;

    StartUp(DataSource source, String namespace, Duration silence, int mostKept) {
        try (Connection connection = source.getConnection()) {
            database = new Database(source, connection, name(connection), silence, mostKept);
            table = new LeaseTable(database, namespace);
        } catch (SQLException e) {
            throw new StoreUnavailableException("No connection to the database of the locks: " + e.getMessage(), e);
        }
    }

    /** Where it is, without what may be a password. */
    private static String name(Connection connection) throws SQLException {
        String url = String.valueOf(connection.getMetaData().getURL());
        return url.replaceAll("[?;].*", "").replaceAll("//[^/@]*@", "//");
    }

    Database database() {
        return database;
    }

    LeaseTable table() {
        return table;
    }

    void createSchema() {
        run(() -> database.statement(connection -> {
            try (Statement statement = connection.createStatement()) {
                for (String sql : new Statements(database.dialect(), database.overdue()).schema()) {
                    create(statement, sql);
                }
            }
            return true;
        }));
    }

    /** Two processes may create a table at once, and PostgreSQL tells one of them that it exists in spite of IF NOT EXISTS. */
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

    /** Does once what locks will need, on every table, and takes it back; but the namespace's row stays. */
    void probe() {
        run(() -> database.transaction(connection -> {
            table.found(connection);
            return true;
        }));
        run(() -> database.transaction(connection -> {
            table.agree(connection, String.valueOf(table.namespaceRow(connection)));
            table.insert(connection, List.of(PROBE));
            LeaseTable.Locked empty = table.lock(connection, List.of(PROBE));
            LockRow row = empty.row(PROBE);
            row.holders.add(new Holder(NOBODY, 1, LockMode.SHARED, 1, 0, "", 0, 0));
            row.comer = new Waiter(NOBODY, LockMode.EXCLUSIVE, 1, 1, Long.MAX_VALUE / 4, 0, "", "", 0);
            row.queue.put(NOBODY, row.comer);
            table.write(connection, List.of(row), empty.now());
            LeaseTable.Locked full = table.lock(connection, List.of(PROBE));
            LockRow read = full.row(PROBE);
            read.holders.clear();
            read.leave(NOBODY);
            table.write(connection, List.of(read), full.now());
            try (Statement delete = connection.createStatement()) {
                delete.executeUpdate("DELETE FROM interlock_lock WHERE 1 = 0");
            }
            table.notes().probe(connection);
            if (database.dialect() == Dialect.POSTGRESQL) {
                table.crowd().isHeir(connection, new Place(OwnerId.parse(NOBODY + "/1"), PROBE));
            }
            connection.rollback();
            return true;
        }));
    }

    /** Whether what the database has committed survives its crash. */
    boolean isDurable(boolean required) {
        String weakness =
                run(() -> database.statement(connection -> Durability.weakness(connection, database.dialect())));
        if (weakness.isEmpty()) {
            return true;
        }
        if (required) {
            throw new LockRefusedException(
                    database.name() + " may forget what it has committed, so tokens are not strict: " + weakness);
        }
        LOG.log(
                database.dialect() == Dialect.H2 ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                "{0} may forget what it has committed: {1}. Tokens still grow, unless it crashes while its clock steps back",
                database.name(),
                weakness);
        return false;
    }

    private interface Look<T> {
        T take();
    }

    private static <T> T run(Look<T> look) {
        try {
            return look.take();
        } catch (StoreException e) {
            throw e.isAnswered()
                    ? new LockRefusedException(String.valueOf(e.getMessage()))
                    : new StoreUnavailableException(String.valueOf(e.getMessage()), e);
        }
    }
}
