package dev.interlock.examples;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.JdbcFence;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.ds.PGSimpleDataSource;

/** A holder that lost its lock writes late. PostgreSQL refuses the write, because it has seen a newer token. */
public final class FencingOnPostgres {
    private static final JdbcFence FENCE = JdbcFence.inTable();

    private FencingOnPostgres() {}

    public static void main(String[] args) throws SQLException {
        InMemoryBackend store = InMemoryBackend.create(); // the locks may be in any store
        try (PostgresServer postgres = PostgresServer.own();
                Interlock one = Interlock.over(store);
                Interlock other = Interlock.over(store)) {
            postgres.start();
            PGSimpleDataSource database = new PGSimpleDataSource();
            database.setUrl(postgres.url());
            createTables(database);
            run(one, other, database);
        }
    }

    private static void run(Interlock one, Interlock other, PGSimpleDataSource database) throws SQLException {
        LockKey key = LockKey.of("inventory", "sku-1");

        Lease paused = one.locks().acquire(key); // imagine a long pause of this holder …
        other.operator().forceRelease(key); //      … and that its lock ends before it wakes up
        try (Lease current = other.locks().acquire(key)) {
            System.out.println("Token " + current.token() + " writes: " + write(database, current, 9));
        }
        System.out.println("Token " + paused.token() + " writes: " + write(database, paused, 5));
        paused.close();
    }

    private static String write(PGSimpleDataSource database, Lease lease, int available) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            FENCE.raise(connection, lease); // before reading and writing, in the same transaction
            statement.executeUpdate("UPDATE stock SET available = " + available + " WHERE sku = 'sku-1'");
            connection.commit();
            return "accepted";
        } catch (StaleTokenException e) {
            return "refused. " + e.getMessage();
        }
    }

    private static void createTables(PGSimpleDataSource database) throws SQLException {
        FENCE.createSchemaIfMissing(database);
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE stock (sku TEXT PRIMARY KEY, available INT NOT NULL)");
            statement.execute("INSERT INTO stock VALUES ('sku-1', 10)");
        }
    }
}
