package dev.interlock.jdbc;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static dev.interlock.testkit.checked.CheckedRun.SLACK;
import static dev.interlock.testkit.checked.CheckedRun.timed;
import static dev.interlock.testkit.faults.Matching.requestContaining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.checked.CheckedClient;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.checked.FaultRoute.Injected;
import dev.interlock.testkit.checked.FaultRun;
import dev.interlock.testkit.faults.Direction;
import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.workers.WorkerRequest;
import dev.interlock.transactions.internal.Dialect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Network faults that only a store with transactions and sessions has: N01 and N09 around a commit, and S05. */
@Timeout(90)
abstract class TransactionFaultCases {
    private final FaultDatabase database;

    @SuppressWarnings("NullAway.Init") // set before each case
    private FaultRun run;

    TransactionFaultCases(FaultDatabase database) {
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

    /** Opens a client that has used the lock before, so that its row exists. */
    private CheckedClient knownClient(String name, LockKey key) {
        CheckedClient client = run.client(name);
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        return client;
    }

    /** N01, if the acquire is a transaction of several statements and the reply to the commit is lost. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void retryOfAnAcquireWhoseCommitIsNotAnsweredGetsTheSameGrant() {
        LockKey key = run.key("n01-rows");
        CheckedClient client = knownClient("one", key);
        long before = run.state().lastNumber(key);
        CheckedClient.Held held;
        try (Injected lost = run.inject(
                "lost reply",
                proxy -> proxy.cutBeforeReply(requestContaining("COMMIT").nth(1)))) {
            held = client.acquire(WorkerRequest.of(key, LEASE, PATIENCE), LockRequest::shared);
            lost.awaitActed();
        }
        long granted = new FencingToken(held.token()).grant();
        assertThat(granted).isGreaterThan(before);
        assertThat(run.state().lastNumber(key))
                .as("no number drawn by the retry")
                .isEqualTo(granted);
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        client.acquire(key).finish();
        run.assertClean("N01 lost-commit-reply", "lost reply");
    }

    /**
     * N09 at the worst moment: the network falls silent between the statements of a transaction, while the rows of its
     * locks are locked. The server must not wait for the rest of the transaction for ever.
     */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void silenceInATransactionDelaysOtherClientsLittleLongerThanTheLease() {
        LockKey key = run.key("mid");
        CheckedClient client = run.client("one");
        CheckedClient other = run.direct("two");
        // Leases of several requests that are due together are renewed in one transaction, which locks the rows of
        // their locks; on every database if they are shared.
        CheckedClient.Held held = client.acquire(WorkerRequest.of(key, LEASE, PATIENCE), LockRequest::shared);
        long base = held.read();
        List<CheckedClient.Held> beside = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            beside.add(
                    client.acquire(WorkerRequest.of(run.key("mid-beside-" + i), LEASE, PATIENCE), LockRequest::shared));
        }
        Duration takeover;
        try (Injected mid = run.inject(
                "silence", proxy -> proxy.hold(requestContaining("COMMIT").nth(1)))) {
            mid.awaitActed();
            // From here on nothing gets through, not even a driver that wants to end its old session.
            try (Fault silence = run.route().proxies().get(0).drop(Direction.TO_SERVER)) {
                takeover = timed(() -> {
                    CheckedClient.Held next = other.granted(key);
                    assertThat(next.token()).isGreaterThan(held.token());
                    next.finish();
                });
                assertThat(silence.kind()).isNotNull();
            }
            assertThat(held.write(base)).as("stale write").isFalse();
        }
        // Some of these leases may have outlived the silence.
        beside.forEach(CheckedClient.Held::release);
        assertThat(takeover).as("takeover").isLessThan(LEASE.plus(SLACK.multipliedBy(3)));
        run.assertClean(
                "N09 silence before a commit: taken over after " + takeover.toMillis() + " ms",
                expected -> expected.injecting("silence").grantedWithin(PATIENCE.multipliedBy(3)));
    }

    /**
     * A connection that breaks before the commit has changed nothing, so the client repeats the transaction on another
     * one.
     */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void connectionThatBreaksBeforeTheCommitFailsNoCaller() {
        LockKey key = run.key("broken");
        CheckedClient client = knownClient("one", key);
        try (Injected lost = run.inject(
                "lost reply",
                proxy -> proxy.cutBeforeReply(
                        database.requests().statement("lock-rows").nth(1)))) {
            CheckedClient.Held held = client.acquire(WorkerRequest.of(key, LEASE, PATIENCE), LockRequest::shared);
            lost.awaitActed();
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        }
        client.acquire(key).finish();
        run.assertClean("Connection lost before a commit", "lost reply");
    }

    /** S05. The server ends every session that is idle for a second, and the pool cannot know. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void sessionsThatTheServerEndsForIdlenessCostNoLeaseAndFailNoCaller() {
        LockKey key = run.key("s05");
        CheckedClient client = run.client(
                "one",
                database.connectWith(
                        database.dialect() == Dialect.POSTGRESQL
                                ? "&options=-c%20idle_session_timeout=1s"
                                : "&sessionVariables=wait_timeout=1",
                        run.namespace(),
                        SLACK));
        CheckedClient.Held held = client.acquire(WorkerRequest.of(key, LEASE.multipliedBy(4), PATIENCE));
        for (int i = 0; i < 2; i++) {
            RecordedFault idle = run.recorder().faultStarted("idle");
            CheckedRun.pass(Duration.ofMillis(1_600));
            idle.acted();
            idle.stopped();
            client.acquire(run.key("s05-" + i)).finish();
        }
        assertThat(held.isHeld()).isTrue();
        held.finish();
        run.assertClean("S05 idle-timeout", "idle");
    }
}
