package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** S12: an idle transaction keeps the row of one lock locked. No other lock is affected. */
@Timeout(90)
@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class LockedRowTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final Databases databases = new Databases();

    private final String namespace = UUID.randomUUID().toString();

    /** A process with its own pool. */
    private Interlock open(Dialect dialect) {
        HikariDataSource pool = Pools.of(databases.pool(dialect).getJdbcUrl(), 6);
        return Interlock.over(
                new PooledBackend(JdbcBackend.builder(pool).namespace(namespace).build(), pool));
    }

    /** Keeps the row of a lock locked until the returned connection is closed. */
    private Connection lockRow(Dialect dialect, LockKey key) throws Exception {
        return lockRow(dialect, databases.pool(dialect).getJdbcUrl(), key);
    }

    private Connection lockRow(Dialect dialect, String url, LockKey key) throws Exception {
        Connection idle = DriverManager.getConnection(url);
        idle.setAutoCommit(false);
        try (PreparedStatement statement = idle.prepareStatement(
                "SELECT number FROM interlock_lock WHERE namespace = ? AND name = ? FOR UPDATE")) {
            dialect.setName(statement, 1, namespace);
            dialect.setName(statement, 2, key.name());
            assertThat(statement.executeQuery().next()).isTrue();
        }
        return idle;
    }

    /** S12: renewals are batched, and one locked row must not cost the other leases. */
    @ParameterizedTest
    @EnumSource
    void idleTransactionOnTheRowOfOneLeaseCostsNoOtherLease(Dialect dialect) throws Exception {
        try (Interlock interlock = open(dialect)) {
            Lease before = lease(interlock, "a");
            Lease locked = lease(interlock, "b");
            Lease after = lease(interlock, "c");
            try (Connection idle = lockRow(dialect, locked.key())) {
                CheckedRun.pass(Duration.ofSeconds(4)); // longer than the leases, so they were renewed or lost
                assertThat(before.isHeld()).as("lease before the locked one").isTrue();
                assertThat(after.isHeld()).as("lease behind the locked one").isTrue();
                idle.rollback();
            }
        }
    }

    /**
     * The engine repeats a renewal that is not answered. If each call waited for the row, no thread would be left for
     * other leases.
     */
    @Test
    void onlyOneCallWaitsForALockedRow() throws Exception {
        // A database of its own, without other waiting statements.
        String url = PostgresServer.shared().freshDatabase();
        HikariDataSource pool = Pools.of(url, 6);
        try (Interlock interlock = Interlock.over(new PooledBackend(
                JdbcBackend.builder(pool)
                        .namespace(namespace)
                        .createSchemaIfMissing()
                        .build(),
                pool))) {
            Lease lease = lease(interlock, "alone");
            int max = 0;
            try (Connection idle = lockRow(Dialect.POSTGRESQL, url, lease.key());
                    Connection looking = DriverManager.getConnection(url);
                    PreparedStatement count = looking.prepareStatement("SELECT COUNT(*) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND wait_event_type = 'Lock'")) {
                while (lease.isHeld()) {
                    try (ResultSet row = count.executeQuery()) {
                        row.next();
                        max = Math.max(max, row.getInt(1));
                    }
                    CheckedRun.pass(Duration.ofMillis(20));
                }
                idle.rollback();
            }
            assertThat(max).isEqualTo(1);
        }
    }

    private static Lease lease(Interlock interlock, String name) {
        return interlock
                .locks()
                .with(LockKey.of(name))
                .in(interlock.locks().newScope(name))
                .leaseFor(Duration.ofSeconds(3))
                .acquire();
    }

    /** S12: heartbeats are batched too. */
    @ParameterizedTest
    @EnumSource
    void idleTransactionOnTheRowOfOneWaiterDelaysNoOtherWaiter(Dialect dialect) throws Exception {
        LockKey locked = LockKey.of("a-waited");
        LockKey other = LockKey.of("b-waited");
        try (Interlock holder = open(dialect);
                Interlock waiter = open(dialect)) {
            Lease first = lease(holder, locked.name());
            Lease second = lease(holder, other.name());
            var waiting = waiter.locks().with(locked).waitAtMost(PATIENCE).acquireAsync();
            var waitingToo = waiter.locks().with(other).waitAtMost(PATIENCE).acquireAsync();
            Awaitility.await()
                    .until(() -> holder.operator().list("", Optional.empty(), 10).locks().stream()
                            .allMatch(lock -> lock.waiters() == 1));
            try (Connection idle = lockRow(dialect, locked)) {
                // Its waiter now tries to read the row repeatedly.
                CheckedRun.pass(Duration.ofMillis(3_500));
                long began = System.nanoTime();
                second.close();
                waitingToo
                        .toCompletableFuture()
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .close();
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .as("hand-over of the other lock")
                        .isLessThan(Duration.ofSeconds(3));
                idle.rollback();
            }
            first.close();
            waiting.toCompletableFuture()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .close();
        }
    }
}
