package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.servers.PostgresServer;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that waits for a lock alone stands in the lock's own row on PostgreSQL, and becomes one of several when it has to. */
@Timeout(60)
class HeirTest {
    private static final LockKey KEY = LockKey.of("key");
    private static final int NOBODY = 0;
    private static final int OTHERS = 1;
    private static final int HEIR = 2;

    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    private final String namespace = UUID.randomUUID().toString();
    private final List<Interlock> processes = new ArrayList<>();

    @AfterEach
    void close() {
        processes.forEach(Interlock::close);
    }

    @Test
    void whoWaitsAloneHasNoRowOfItsOwnAndIsGivenTheLock() {
        Interlock first = process();
        Lease held = first.locks().acquire(KEY);
        PendingLease<Lease> waiting = queued(process(), HEIR);
        assertThat(rowsOfWaiters()).isZero();
        assertThat(waitersSeenBy(first)).isEqualTo(1);
        held.close();
        Lease next = waiting.toCompletableFuture().join();
        assertThat(next.token()).isGreaterThan(held.token());
        assertThat(crowded()).isEqualTo(NOBODY);
        next.close();
        assertThat(waitersSeenBy(first)).isZero();
    }

    @Test
    void othersQueueBehindTheOneWhoWaitedAlone() {
        Interlock first = process();
        Lease held = first.locks().acquire(KEY);
        PendingLease<Lease> second = queued(process(), HEIR);
        PendingLease<Lease> third = queued(process(), OTHERS);
        assertThat(rowsOfWaiters()).isEqualTo(2);
        assertThat(waitersSeenBy(first)).isEqualTo(2);
        held.close();
        second.toCompletableFuture().join().close();
        third.toCompletableFuture().join().close();
    }

    @Test
    void whoWaitsAloneForLongKeepsItsPlace() {
        Lease held = process().locks().acquire(KEY);
        long queuedAt = database.number("SELECT " + Dialect.POSTGRESQL.now());
        PendingLease<Lease> waiting = queued(process(), HEIR);
        Awaitility.await()
                .until(() -> database.number("SELECT heir_times[2] FROM interlock_lock" + here())
                        > queuedAt + TimeUnit.SECONDS.toMicros(2));
        assertThat(crowded()).isEqualTo(HEIR);
        held.close();
        waiting.toCompletableFuture().join().close();
    }

    @Test
    void whoWaitsAloneForSeveralLocksKeepsAllItsPlaces() {
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
        Awaitility.await()
                .until(() -> database.number("SELECT COUNT(*) FROM interlock_lock" + here() + " AND crowded = 2")
                        == keys.size());
        long since = lastHeard();
        Awaitility.await().until(() -> lastHeard() > since + 2_500_000);
        assertThat(rowsOfWaiters()).isZero();
        held.forEach(Lease::close);
        waiting.forEach(wait -> wait.toCompletableFuture().join().close());
    }

    /** Of the one who was not heard of for longest. */
    private long lastHeard() {
        return database.number("SELECT MIN(heir_times[2]) FROM interlock_lock" + here());
    }

    @Test
    void whoGivesUpLeavesNothingBehind() {
        Lease held = process().locks().acquire(KEY);
        PendingLease<Lease> waiting =
                process().locks().with(KEY).waitAtMost(Duration.ofMillis(300)).acquireAsync();
        awaitCrowded(HEIR);
        assertThat(waiting.toCompletableFuture())
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableThat()
                .withCauseInstanceOf(LockTimeoutException.class);
        awaitCrowded(NOBODY);
        assertThat(rowsOfWaiters()).isZero();
        held.close();
        process().locks().acquire(KEY).close();
    }

    @Test
    void lockOfADeadHolderGoesToTheOneWhoWaitsAlone() {
        process().locks().with(KEY).leaseFor(Duration.ofSeconds(60)).acquire();
        PendingLease<Lease> waiting = queued(process(), HEIR);
        database.execute("UPDATE interlock_lock SET lease_end = 1, record_end = 1" + here());
        waiting.toCompletableFuture().join().close();
    }

    @Test
    void lockIsFreeIfTheOneWhoWaitedAloneIsDead() {
        Lease held = process().locks().acquire(KEY);
        database.execute("UPDATE interlock_lock SET crowded = 2, heir = ARRAY['dead/1', '', ''],"
                + " heir_times = ARRAY[1000000, 1, 0]" + here());
        held.close();
        assertThat(crowded()).isEqualTo(NOBODY);
        process().locks().acquire(KEY).close();
    }

    /** Anybody may have written the row. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "heir = NULL, heir_times = NULL",
                "heir = '{}', heir_times = '{}'",
                "heir = ARRAY['heir/1'], heir_times = ARRAY[1000000, 9000000000000000]"
            })
    void oneOfWhomTheRowDoesNotSayAllIsNoObstacle(String heir) {
        Lease held = process().locks().acquire(KEY);
        database.execute("UPDATE interlock_lock SET crowded = 2, " + heir + here());
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        database.execute("UPDATE interlock_lock SET lease_end = 1, record_end = 1" + here());
        process().locks().acquire(KEY).close();
    }

    @Test
    void rowThatSomebodySitsOnCostsTheOneWhoWaitsAloneNothingButTime() throws Exception {
        Lease held =
                process().locks().with(KEY).leaseFor(Duration.ofSeconds(60)).acquire();
        PendingLease<Lease> waiting = queued(process(), HEIR);
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
            throw new AssertionError("It should have been given the lock", e);
        }
    }

    private Interlock process() {
        Interlock process = Interlock.over(
                JdbcBackend.builder(database.url()).namespace(namespace).build());
        processes.add(process);
        return process;
    }

    private PendingLease<Lease> queued(Interlock process, int crowded) {
        PendingLease<Lease> waiting =
                process.locks().with(KEY).waitAtMost(Duration.ofSeconds(20)).acquireAsync();
        awaitCrowded(crowded);
        return waiting;
    }

    private void awaitCrowded(int crowded) {
        Awaitility.await().until(() -> crowded() == crowded);
    }

    private long crowded() {
        return database.number("SELECT crowded FROM interlock_lock" + here());
    }

    private long rowsOfWaiters() {
        return database.number("SELECT COUNT(*) FROM interlock_waiter" + here());
    }

    private static int waitersSeenBy(Interlock process) {
        return process.operator().inspect(KEY).map(LockSnapshot::waiters).orElse(0);
    }

    private String here() {
        return " WHERE namespace = '" + namespace + "'";
    }
}
