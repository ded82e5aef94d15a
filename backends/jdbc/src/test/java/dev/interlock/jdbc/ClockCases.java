package dev.interlock.jdbc;

import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static dev.interlock.testkit.judged.JudgedRun.SLACK;
import static dev.interlock.testkit.judged.JudgedRun.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.history.Fault;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.TwinHold;
import dev.interlock.testkit.workers.Ask;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The server's wall clock is stepped, C01 and C02, or seems to stand still in a transaction, C08. Leases end by that clock, so a step
 * forward may give a lock to two; the fence holds all the same.
 */
@Timeout(90)
abstract class ClockCases extends FaultCases {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final FaultDatabase database;

    ClockCases(FaultDatabase database) {
        super(database);
        this.database = database;
    }

    /** Steps the server's clock and waits until the server shows it. */
    private void step(Duration by) {
        long before = serverSeconds();
        database.server().node().clock().step(by);
        until("the server's clock is stepped", () -> Math.abs(serverSeconds() - before - by.toSeconds()) < 10);
    }

    private long serverSeconds() {
        return database.number("SELECT " + database.dialect().now()) / 1_000_000;
    }

    /** C01. Everything is kept twice, so that the unfenced twin shows what the fence prevents. */
    @Test
    void serverClockSteppedForwardMayGiveTheLockToTwoButLosesNoUpdate() {
        LockKey key = run.key("c01");
        LockKey control = run.unfencedKey("c01");
        JudgedClient client = run.direct("one");
        JudgedClient other = run.direct("two");
        Ask ask = Ask.of(key, LEASE.multipliedBy(3), PATIENCE);
        Ask askControl = Ask.of(control, LEASE.multipliedBy(3), PATIENCE);
        TwinHold held = TwinHold.of(client.acquire(ask), client.acquire(askControl));
        CompletableFuture<JudgedClient.Held> waiting = other.acquireAsync(ask);
        CompletableFuture<JudgedClient.Held> waitingControl = other.acquireAsync(askControl);
        until("both wait in the queue", () -> run.hasQueue(key) && run.hasQueue(control));

        Fault stepped = run.recorder().faultStarted("clock");
        step(MINUTE);
        stepped.acted();
        TwinHold next = TwinHold.of(JudgedClient.await(waiting), JudgedClient.await(waitingControl));
        boolean overlap = held.fenced().isHeld();
        next.assertNewerThan(held);
        next.write();
        held.writeTooLate();
        until(
                "the former holder is told by its next renewal",
                () -> held.fenced().lost() != null);
        stepped.stopped();

        next.release(ReleaseResult.RELEASED);
        held.release(ReleaseResult.ALREADY_ENDED);
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        TwinHold.assertBitten(run.assertClean(
                "C01 server-forward-60s: two holders at once " + overlap,
                expected -> expected.injecting("clock").exclusivityMayBreakIn("clock")));
        step(MINUTE.negated());
    }

    /** C02. What is released goes on at once; what is orphaned lasts longer by the step, and no longer. */
    @Test
    void serverClockSteppedBackDelaysAnOrphanByTheStepAndNothingElse() {
        LockKey key = run.key("c02");
        LockKey orphaned = run.key("c02-orphan");
        JudgedClient client = run.direct("one");
        JudgedClient other = run.direct("two");
        JudgedClient.Held held = client.acquire(key);
        JudgedClient.Held orphan =
                client.acquire(Ask.of(orphaned, LEASE, PATIENCE).unrenewed());
        CompletableFuture<JudgedClient.Held> waiting = other.acquireAsync(Ask.of(key, LEASE, PATIENCE));
        until("it waits in the queue", () -> run.hasQueue(key));

        Fault stepped = run.recorder().faultStarted("clock");
        step(MINUTE.negated());
        stepped.acted();
        long left = run.millisLeft(orphaned);
        assertThat(left)
                .as("milliseconds until an orphan ends")
                .isBetween(MINUTE.minus(SLACK).toMillis(), MINUTE.plus(LEASE).toMillis());
        assertThat(held.isHeld()).isTrue();
        assertThat(held.update()).isTrue();
        Duration handOver = JudgedRun.timed(() -> {
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
            JudgedClient.Held next = JudgedClient.await(waiting);
            assertThat(next.token()).isGreaterThan(held.token());
            next.finish();
        });
        assertThat(handOver).as("hand-over").isLessThan(LEASE);
        JudgedClient.Held fresh = client.acquire(key);
        assertThat(fresh.token()).isGreaterThan(held.token());
        assertThat(fresh.update()).isTrue();
        fresh.awaitRenewal();
        assertThat(fresh.release()).isEqualTo(ReleaseResult.RELEASED);

        // The minute goes by, or the clock is set right: for the server that is the same.
        step(MINUTE);
        stepped.stopped();
        Duration recovered = JudgedRun.timed(() -> {
            JudgedClient.Held next = other.acquire(orphaned);
            assertThat(next.token()).isGreaterThan(orphan.token());
            next.finish();
        });
        assertThat(recovered).as("recovery").isLessThan(LEASE.plus(SLACK));
        run.assertClean(
                "C02 server-back-60s: an orphan would have lasted for " + left + " ms, hand-over " + handOver.toMillis()
                        + " ms",
                "clock");
    }

    /** C08. Whoever had to wait for the row never believes in a longer lease than the server keeps, and gets most of its length. */
    @Test
    void timeOfAGrantIsThatOfItsStatementHoweverOldTransactionsAre() throws Exception {
        LockKey plain = run.key("c08-plain");
        LockKey crowded = run.key("c08-rows");
        JudgedClient client = run.direct("one");
        assertThat(client.acquire(plain).release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(client.acquire(crowded).release()).isEqualTo(ReleaseResult.RELEASED);
        Duration locked = Duration.ofMillis(800);
        try (Connection old = DriverManager.getConnection(database.url());
                Statement statement = old.createStatement()) {
            // Open since long before the grants, and still open after them.
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            old.setAutoCommit(false);
            try (ResultSet seen = statement.executeQuery("SELECT COUNT(*) FROM interlock_lock")) {
                assertThat(seen.next()).isTrue();
            }
            believesNoLongerThanTheServer(client, plain, locked, request -> request);
            believesNoLongerThanTheServer(client, crowded, locked, LockRequest::shared);
        }
        run.assertClean("C08 sql-transaction-time");
    }

    private void believesNoLongerThanTheServer(
            JudgedClient client,
            LockKey key,
            Duration locked,
            UnaryOperator<LockRequest<dev.interlock.lock.Lease>> options)
            throws Exception {
        Duration lease = LEASE.multipliedBy(2);
        JudgedClient.Held held;
        try (Connection rude = DriverManager.getConnection(database.url());
                Statement statement = rude.createStatement()) {
            rude.setAutoCommit(false);
            statement.execute("SELECT number FROM interlock_lock FOR UPDATE");
            CompletableFuture<JudgedClient.Held> asked = CompletableFuture.supplyAsync(
                    () -> client.acquire(Ask.of(key, lease, PATIENCE).unrenewed(), options));
            JudgedRun.pass(locked);
            assertThat(asked).as("it waits for the row").isNotDone();
            rude.rollback();
            held = JudgedClient.await(asked);
        }
        long believed = held.lease().remaining().toMillis();
        long left = database.number(
                "SELECT (GREATEST(COALESCE(MAX(l.lease_end), 0), COALESCE(MAX(h.lease_end), 0)) - "
                        + database.dialect().now()
                        + ") / 1000 FROM interlock_lock l LEFT JOIN interlock_holder h ON h.namespace = l.namespace AND"
                        + " h.name = l.name WHERE l.name = ?",
                key.name());
        // The server was asked after the holder, so it may have less left by the time in between.
        assertThat(left).as("milliseconds that the server keeps it").isGreaterThan(believed - 500);
        assertThat(left).isLessThanOrEqualTo(lease.toMillis());
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
    }
}
