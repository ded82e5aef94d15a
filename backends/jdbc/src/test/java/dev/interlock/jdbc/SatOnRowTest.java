package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** S12: somebody keeps the row of one lock locked, as a session does that was left open; that lock suffers, and no other. */
@Timeout(90)
@Execution(ExecutionMode.CONCURRENT)
class SatOnRowTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final Databases databases = new Databases();

    private final String namespace = UUID.randomUUID().toString();

    /** A process with a pool of its own, as processes have. */
    private Interlock open(Dialect dialect) {
        HikariDataSource pool = Pools.of(databases.pool(dialect).getJdbcUrl(), 6);
        return Interlock.over(
                new PooledBackend(JdbcBackend.builder(pool).namespace(namespace).build(), pool));
    }

    /** Keeps the row of a lock locked, as a session does that somebody has left open, until it is closed. */
    private Connection sitOn(Dialect dialect, LockKey key) throws Exception {
        return sitOn(dialect, databases.pool(dialect).getJdbcUrl(), key);
    }

    private Connection sitOn(Dialect dialect, String url, LockKey key) throws Exception {
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

    /** S12: renewals go in batches, and one row that somebody sits on must not cost the leases beside it. */
    @ParameterizedTest
    @EnumSource
    void idleTransactionOnTheRowOfOneLeaseCostsNoOtherLease(Dialect dialect) throws Exception {
        try (Interlock interlock = open(dialect)) {
            Lease before = lease(interlock, "a");
            Lease satOn = lease(interlock, "b");
            Lease after = lease(interlock, "c");
            try (Connection idle = sitOn(dialect, satOn.key())) {
                JudgedRun.pass(Duration.ofSeconds(4)); // longer than the leases: they were renewed, or are lost
                assertThat(before.isHeld())
                        .as("lease before the one that is sat on")
                        .isTrue();
                assertThat(after.isHeld())
                        .as("lease behind the one that is sat on")
                        .isTrue();
                idle.rollback();
            }
        }
    }

    /** The engine asks again and again for a lease that is not renewed; if each call waited for the row, none of its threads were left for other leases. */
    @Test
    void onlyOneCallWaitsForARowThatSomebodySitsOn() throws Exception {
        // A database of its own, in which nobody else waits.
        String url = PostgresServer.shared().freshDatabase();
        HikariDataSource pool = Pools.of(url, 6);
        try (Interlock interlock = Interlock.over(new PooledBackend(
                JdbcBackend.builder(pool)
                        .namespace(namespace)
                        .createSchemaIfMissing()
                        .build(),
                pool))) {
            Lease lease = lease(interlock, "alone");
            int most = 0;
            try (Connection idle = sitOn(Dialect.POSTGRESQL, url, lease.key());
                    Connection looking = DriverManager.getConnection(url);
                    PreparedStatement count = looking.prepareStatement("SELECT COUNT(*) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND wait_event_type = 'Lock'")) {
                while (lease.isHeld()) {
                    try (ResultSet row = count.executeQuery()) {
                        row.next();
                        most = Math.max(most, row.getInt(1));
                    }
                    JudgedRun.pass(Duration.ofMillis(20));
                }
                idle.rollback();
            }
            assertThat(most).isEqualTo(1);
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

    /** S12: waiters too ask in batches. */
    @ParameterizedTest
    @EnumSource
    void idleTransactionOnTheRowOfOneWaiterDelaysNoOtherWaiter(Dialect dialect) throws Exception {
        LockKey satOn = LockKey.of("a-waited");
        LockKey other = LockKey.of("b-waited");
        try (Interlock holder = open(dialect);
                Interlock waiter = open(dialect)) {
            Lease first = lease(holder, satOn.name());
            Lease second = lease(holder, other.name());
            var waiting = waiter.locks().with(satOn).waitAtMost(PATIENCE).acquireAsync();
            var waitingToo = waiter.locks().with(other).waitAtMost(PATIENCE).acquireAsync();
            Awaitility.await()
                    .until(() -> holder.operator().list("", Optional.empty(), 10).locks().stream()
                            .allMatch(lock -> lock.waiters() == 1));
            try (Connection idle = sitOn(dialect, satOn)) {
                // Now its waiter wants to look at the row, again and again.
                JudgedRun.pass(Duration.ofMillis(3_500));
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
