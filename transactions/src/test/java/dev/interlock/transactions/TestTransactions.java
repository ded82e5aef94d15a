package dev.interlock.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import dev.interlock.memory.InMemoryBackend;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/** Concurrent transactions, each on its own connection, and the locks for them in an in-memory store. */
final class TestTransactions implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    /** Usually long enough for a statement to reach the server. If not, a test covers less but does not fail. */
    private static final long MOMENT_MILLIS = 40;

    final Interlock interlock = Interlock.over(InMemoryBackend.create());
    final LockKey key = LockKey.of("stock", UUID.randomUUID().toString());

    private final DataSource source;
    private final List<Connection> connections = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    TestTransactions(DataSource source) {
        this.source = source;
    }

    Locks locks() {
        return interlock.locks();
    }

    /** Returns a lease that was released: the lease of a stale holder. */
    Lease former() {
        return former(key);
    }

    Lease former(LockKey formerKey) {
        Lease lease = locks().acquire(formerKey);
        lease.close();
        return lease;
    }

    Connection begin() throws SQLException {
        return begin(Connection.TRANSACTION_READ_COMMITTED);
    }

    Connection begin(int isolation) throws SQLException {
        Connection connection = source.getConnection();
        connections.add(connection);
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
        return connection;
    }

    interface Step {
        void run() throws SQLException;
    }

    /** Runs the step on a new thread. Returns when the step has ended or probably waits for a lock. */
    CompletableFuture<Void> start(Step step) throws InterruptedException {
        CompletableFuture<Void> started = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                step.run();
                started.complete(null);
            } catch (SQLException | RuntimeException | Error e) {
                started.completeExceptionally(e);
            }
        });
        try {
            started.get(MOMENT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // finish() reports a failure.
        }
        return started;
    }

    /** Waits for the end of a step that was blocked. */
    static void finish(CompletableFuture<Void> started) throws Exception {
        try {
            started.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** Retries the whole transaction after a conflict, as an application does. Returns the number of conflicts. */
    static int repeat(Connection connection, CompletableFuture<Void> first, Step step) throws Exception {
        try {
            finish(first);
            return 0;
        } catch (ConflictException conflict) {
            for (int conflicts = 1; ; conflicts++) {
                connection.rollback();
                try {
                    step.run();
                    return conflicts;
                } catch (ConflictException another) {
                    assertThat(conflicts).as("conflicts in a row").isLessThan(5);
                }
            }
        }
    }

    static void execute(Connection connection, String sql, Object... args) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < args.length; i++) {
                statement.setObject(i + 1, args[i]);
            }
            statement.execute();
        }
    }

    static long number(Connection connection, String sql, Object... args) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < args.length; i++) {
                statement.setObject(i + 1, args[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).as("a row for %s", sql).isTrue();
                return row.getLong(1);
            }
        }
    }

    static void script(DataSource source, String... statements) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : connections) {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.close();
            }
        }
        threads.shutdownNow();
        interlock.close();
    }
}
