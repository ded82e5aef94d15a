package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.PendingLease;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One process waits for a lock that another process holds, on PostgreSQL. */
@Timeout(60)
@Tag("full")
@Tag("server")
class SoleWaiterTest {
    private static final LockKey KEY = LockKey.of("key");

    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    private final String namespace = UUID.randomUUID().toString();
    private final List<Interlock> processes = new ArrayList<>();

    @AfterEach
    void close() {
        processes.forEach(Interlock::close);
    }

    @Test
    void soleWaiterIsGrantedTheReleasedLock() {
        Interlock first = process();
        Lease held = first.locks().acquire(KEY);
        PendingLease<Lease> waiting = queued(process(), 1);
        assertThat(waitersSeenBy(first)).isEqualTo(1);
        held.close();
        Lease next = waiting.toCompletableFuture().join();
        assertThat(next.token()).isGreaterThan(held.token());
        assertThat(waiterRows()).isZero();
        assertThat(isQueued()).isFalse();
        next.close();
        assertThat(waitersSeenBy(first)).isZero();
    }

    @Test
    void laterWaitersQueueBehindTheFirst() {
        Interlock first = process();
        Lease held = first.locks().acquire(KEY);
        PendingLease<Lease> second = queued(process(), 1);
        PendingLease<Lease> third = queued(process(), 2);
        assertThat(waitersSeenBy(first)).isEqualTo(2);
        held.close();
        second.toCompletableFuture().join().close();
        third.toCompletableFuture().join().close();
    }

    @Test
    void waiterKeepsItsPlaceForLong() {
        Lease held = process().locks().acquire(KEY);
        long queuedAt = database.number("SELECT " + Dialect.POSTGRESQL.now());
        PendingLease<Lease> waiting = queued(process(), 1);
        Awaitility.await().until(() -> oldestHeartbeat() > queuedAt + TimeUnit.SECONDS.toMicros(2));
        assertThat(waiterRows()).isEqualTo(1);
        held.close();
        waiting.toCompletableFuture().join().close();
    }

    @Test
    void processThatWaitsForSeveralLocksKeepsAllItsPlaces() {
        List<LockKey> keys =
                IntStream.range(0, 4).mapToObj(i -> LockKey.of("key-" + i)).toList();
        Interlock first = process();
        Interlock second = process();
        List<Lease> held = keys.stream().map(key -> first.locks().acquire(key)).toList();
        List<PendingLease<Lease>> waiting = keys.stream()
                .map(key -> second.locks()
                        .with(key)
                        .waitAtMost(Duration.ofSeconds(20))
                        .acquireAsync())
                .toList();
        Awaitility.await().until(() -> waiterRows() == keys.size());
        long queuedAt = oldestHeartbeat();
        Awaitility.await().until(() -> oldestHeartbeat() > queuedAt + 2_500_000);
        assertThat(waiterRows()).isEqualTo(keys.size());
        held.forEach(Lease::close);
        waiting.forEach(wait -> wait.toCompletableFuture().join().close());
    }

    @Test
    void waiterThatGivesUpLeavesNothingBehind() {
        Lease held = process().locks().acquire(KEY);
        PendingLease<Lease> waiting =
                process().locks().with(KEY).waitAtMost(Duration.ofMillis(300)).acquireAsync();
        assertThat(waiting.toCompletableFuture())
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableThat()
                .withCauseInstanceOf(LockTimeoutException.class);
        Awaitility.await().until(() -> waiterRows() == 0 && !isQueued());
        held.close();
        process().locks().acquire(KEY).close();
    }

    @Test
    void waiterIsGrantedTheLockOfADeadHolder() {
        process().locks().with(KEY).leaseFor(Duration.ofSeconds(60)).acquire();
        PendingLease<Lease> waiting = queued(process(), 1);
        database.execute("UPDATE interlock_lock SET lease_end = 1, record_end = 1" + here());
        waiting.toCompletableFuture().join().close();
    }

    @Test
    void lockIsFreeIfItsSoleWaiterIsDead() {
        Lease held = process().locks().acquire(KEY);
        database.execute("UPDATE interlock_lock SET queued = TRUE, last_place = 1" + here());
        database.execute("INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity,"
                + " heartbeat_within, heartbeat_at, token_floor) VALUES ('" + namespace
                + "', 'key', 1, 'dead/1', 'E', 1, 1, 1000000, 1, 0)");
        held.close();
        assertThat(isQueued()).isFalse();
        process().locks().acquire(KEY).close();
    }

    @Test
    void lockedRowDelaysTheWaiterButCostsItNothingElse() throws Exception {
        Lease held =
                process().locks().with(KEY).leaseFor(Duration.ofSeconds(60)).acquire();
        PendingLease<Lease> waiting = queued(process(), 1);
        try (Connection other = DriverManager.getConnection(database.url());
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT 1 FROM interlock_lock" + here() + " FOR UPDATE");
            statement.execute("SELECT pg_sleep(2.5)");
            assertThat(waiting.toCompletableFuture()).isNotDone();
            other.rollback();
        }
        held.close();
        try (Lease next = waiting.toCompletableFuture().join()) {
            next.ensureHeld();
        } catch (CompletionException e) {
            throw new AssertionError("The waiter should have been granted the lock", e);
        }
    }

    /** A process that stopped in the middle of a heartbeat keeps its waiter's row locked. */
    @Test
    void stoppedWaiterDoesNotCloseTheLockForOthers() throws Exception {
        Lease held = process().locks().acquire(KEY);
        database.execute("UPDATE interlock_lock SET queued = TRUE, last_place = 1" + here());
        database.execute("INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity,"
                + " heartbeat_within, heartbeat_at, token_floor) VALUES ('" + namespace
                + "', 'key', 1, 'stopped/1', 'E', 1, 1, 1000000, 1, 0)");
        try (Connection stopped = DriverManager.getConnection(database.url());
                Statement statement = stopped.createStatement()) {
            stopped.setAutoCommit(false);
            statement.execute("SELECT 1 FROM interlock_waiter" + here() + " FOR UPDATE");
            held.close();
            process()
                    .locks()
                    .with(KEY)
                    .waitAtMost(Duration.ofSeconds(1))
                    .acquire()
                    .close();
            stopped.rollback();
        }
    }

    private Interlock process() {
        Interlock process = Interlock.over(
                JdbcBackend.builder(database.url()).namespace(namespace).build());
        processes.add(process);
        return process;
    }

    private PendingLease<Lease> queued(Interlock process, int waiters) {
        PendingLease<Lease> waiting =
                process.locks().with(KEY).waitAtMost(Duration.ofSeconds(20)).acquireAsync();
        Awaitility.await().until(() -> waiterRows() == waiters);
        return waiting;
    }

    private boolean isQueued() {
        return database.number("SELECT COUNT(*) FROM interlock_lock" + here() + " AND queued") > 0;
    }

    private long waiterRows() {
        return database.number("SELECT COUNT(*) FROM interlock_waiter" + here());
    }

    private long oldestHeartbeat() {
        return database.number("SELECT MIN(heartbeat_at) FROM interlock_waiter" + here());
    }

    private static int waitersSeenBy(Interlock process) {
        return process.operator().inspect(KEY).map(LockSnapshot::waiters).orElse(0);
    }

    private String here() {
        return " WHERE namespace = '" + namespace + "'";
    }
}
