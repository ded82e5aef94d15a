package dev.interlock.jdbc;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static dev.interlock.testkit.faults.Matching.requestContaining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.checked.CheckedClient;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.checked.FaultRoute.Injected;
import dev.interlock.testkit.checked.FaultRun;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.workers.WorkerRequest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Faults of a server that only a store with transactions has: S11, killed before a commit, and C08, time in old
 * transactions.
 */
@Timeout(90)
abstract class ServerFaultCases {
    private final FaultDatabase database;

    @SuppressWarnings("NullAway.Init") // set before each case
    private FaultRun run;

    ServerFaultCases(FaultDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void begin() {
        run = new FaultRun(database);
    }

    @AfterEach
    void end() {
        run.close();
    }

    /**
     * S11. A number that was drawn in a transaction without a commit was never granted, and no granted number is
     * granted again.
     */
    @Test
    void numbersOfUncommittedGrantsAreNeverSeen() {
        LockKey key = run.key("s11");
        CheckedClient client = run.client("one");
        CheckedClient other = run.direct("two");
        CheckedClient.Held first = client.acquire(key);
        long granted = new FencingToken(first.token()).grant();
        first.finish();
        try (Injected late = run.inject("no commit", proxy -> proxy.hold(requestContaining("COMMIT")))) {
            CompletableFuture<CheckedClient.Held> acquiring = CompletableFuture.supplyAsync(
                    () -> client.acquire(WorkerRequest.of(key, LEASE, Duration.ofSeconds(1)), LockRequest::shared));
            late.awaitActed();
            RecordedFault killed = run.recorder().faultStarted("server kill");
            database.killAndRestart();
            killed.acted();
            killed.stopped();
            assertThatThrownBy(() -> CheckedClient.await(acquiring))
                    .hasCauseInstanceOf(StoreUnavailableException.class);
            // Read before the commits of the retries, which are held back as well, arrive.
            assertThat(run.state().lastNumber(key))
                    .as("the last committed number")
                    .isEqualTo(granted);
        }
        CheckedClient.Held next = other.granted(key);
        assertThat(new FencingToken(next.token()).grant()).isGreaterThan(granted);
        next.finish();
        run.assertClean("S11 sequence-crash", "no commit", "server kill");
    }

    /**
     * C08. A client that waited for the row never counts on a longer lease than the server keeps, and gets most of its
     * length.
     */
    @Test
    void timeOfAGrantIsThatOfItsStatementHoweverOldTransactionsAre() throws Exception {
        LockKey plain = run.key("c08-plain");
        LockKey shared = run.key("c08-rows");
        CheckedClient client = run.direct("one");
        assertThat(client.acquire(plain).release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(client.acquire(shared).release()).isEqualTo(ReleaseResult.RELEASED);
        Duration locked = Duration.ofMillis(800);
        try (Connection old = DriverManager.getConnection(database.url());
                Statement statement = old.createStatement()) {
            // Opened long before the grants, and still open after them.
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            old.setAutoCommit(false);
            try (ResultSet seen = statement.executeQuery("SELECT COUNT(*) FROM interlock_lock")) {
                assertThat(seen.next()).isTrue();
            }
            assertLeaseIsNotLongerThanTheServers(client, plain, locked, request -> request);
            assertLeaseIsNotLongerThanTheServers(client, shared, locked, LockRequest::shared);
        }
        run.assertClean("C08 sql-transaction-time");
    }

    private void assertLeaseIsNotLongerThanTheServers(
            CheckedClient client, LockKey key, Duration locked, UnaryOperator<LockRequest<Lease>> options)
            throws Exception {
        Duration lease = LEASE.multipliedBy(2);
        CheckedClient.Held held;
        try (Connection blocking = DriverManager.getConnection(database.url());
                Statement statement = blocking.createStatement()) {
            blocking.setAutoCommit(false);
            statement.execute("SELECT number FROM interlock_lock FOR UPDATE");
            CompletableFuture<CheckedClient.Held> acquiring = CompletableFuture.supplyAsync(
                    () -> client.acquire(WorkerRequest.of(key, lease, PATIENCE).unrenewed(), options));
            CheckedRun.pass(locked);
            assertThat(acquiring).as("the client waits for the row").isNotDone();
            blocking.rollback();
            held = CheckedClient.await(acquiring);
        }
        long remaining = held.lease().remaining().toMillis();
        long left = database.number(
                "SELECT (GREATEST(COALESCE(MAX(l.lease_end), 0), COALESCE(MAX(h.lease_end), 0)) - "
                        + database.dialect().now()
                        + ") / 1000 FROM interlock_lock l LEFT JOIN interlock_holder h ON h.namespace = l.namespace AND"
                        + " h.name = l.name WHERE l.name = ?",
                key.name());
        // The server is asked after the holder, so it may have less left by the time in between.
        assertThat(left).as("milliseconds that the server keeps the lease").isGreaterThan(remaining - 500);
        assertThat(left).isLessThanOrEqualTo(lease.toMillis());
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
    }
}
