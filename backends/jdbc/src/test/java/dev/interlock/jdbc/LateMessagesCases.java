package dev.interlock.jdbc;

import static dev.interlock.testkit.faults.Matching.requestContaining;
import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static dev.interlock.testkit.judged.JudgedRun.SLACK;
import static dev.interlock.testkit.judged.JudgedRun.pass;
import static dev.interlock.testkit.judged.JudgedRun.timed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.faults.Direction;
import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.faults.ProxiedConnection;
import dev.interlock.testkit.faults.Recording;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.JudgedRun.Injected;
import dev.interlock.testkit.workers.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Requests and replies that are lost or late: N01, N02, N04–N07, and what becomes of a single lost renewal, P08 and P09. */
@Timeout(60)
abstract class LateMessagesCases extends FaultCases {
    /** Of the lease, after which a reply still comes in time. */
    private static final double IN_TIME = 0.9;

    private final FaultDatabase database;

    LateMessagesCases(FaultDatabase database) {
        super(database);
        this.database = database;
    }

    static Ask once(LockKey key) {
        return Ask.of(key, LEASE, Duration.ZERO);
    }

    /** A client that has used the lock before, so that its row is there and taking it is one statement. */
    JudgedClient acquainted(String name, LockKey key) {
        JudgedClient client = run.client(name);
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        return client;
    }

    /** N01. The retry is held back until the server was looked at, so that both of its states are known for certain. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void retryOfAnAcquireWhoseReplyIsLostGetsTheSameGrant() {
        LockKey key = run.key("n01");
        retryGetsTheSameGrant(acquainted("one", key), key, "take");
        run.assertClean("N01 lost-acquire-reply", "lost reply", "retry");
    }

    /** N01, when nobody has ever used the lock. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void retryOfTheVeryFirstAcquireGetsTheSameGrant() {
        LockKey key = run.key("n01-new");
        retryGetsTheSameGrant(run.client("one"), key, "begin");
        run.assertClean("N01 lost-acquire-reply of a new name", "lost reply", "retry");
    }

    private void retryGetsTheSameGrant(JudgedClient client, LockKey key, String statement) {
        JudgedClient.Held held;
        long granted;
        try (Injected lost = run.inject(
                        "lost reply",
                        () -> run.proxy()
                                .cutBeforeReply(run.statement(statement).nth(1)));
                Injected retry = run.inject(
                        "retry", () -> run.proxy().hold(run.statement("take").nth(statement.equals("take") ? 2 : 1)))) {
            CompletableFuture<JudgedClient.Held> asked = client.acquireAsync(Ask.of(key, LEASE, PATIENCE));
            lost.awaitActed();
            retry.awaitActed();
            granted = run.recordedGrant(key);
            retry.fault().heal();
            held = JudgedClient.await(asked);
        }
        assertThat(granted).as("number of the grant").isPositive();
        assertThat(new FencingToken(held.token()).grant()).isEqualTo(granted);
        assertThat(run.counter(key)).as("no number drawn by the retry").isEqualTo(granted);
        held.finish();
        client.acquire(key).finish();
    }

    /** N01, where taking the lock is a transaction of several statements, and the commit's reply is lost. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void retryOfAnAcquireWhoseCommitIsNotAnsweredGetsTheSameGrant() {
        LockKey key = run.key("n01-rows");
        JudgedClient client = acquainted("one", key);
        long before = run.counter(key);
        JudgedClient.Held held;
        try (Injected lost = run.inject(
                "lost reply",
                () -> run.proxy().cutBeforeReply(requestContaining("COMMIT").nth(1)))) {
            held = client.acquire(Ask.of(key, LEASE, PATIENCE), LockRequest::shared);
            lost.awaitActed();
        }
        long granted = new FencingToken(held.token()).grant();
        assertThat(granted).isGreaterThan(before);
        assertThat(run.counter(key)).as("no number drawn by the retry").isEqualTo(granted);
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        client.acquire(key).finish();
        run.assertClean("N01 lost-commit-reply", "lost reply");
    }

    /** N02. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void releaseWhoseReplyIsLostIsDoneAndNotCalledLost() {
        LockKey key = run.key("n02");
        JudgedClient client = run.client("one");
        JudgedClient.Held held = client.acquire(key);
        assertThat(held.update()).isTrue();
        try (Injected lost = run.inject(
                "lost reply",
                () -> run.proxy().cutBeforeReply(run.statement("give").nth(1)))) {
            assertThat(held.release())
                    .as("released, or not known; it was not lost before")
                    .isIn(ReleaseResult.RELEASED, ReleaseResult.UNKNOWN);
            lost.awaitActed();
        }
        assertThat(run.leftovers()).isZero();
        run.direct("two").acquire(once(key)).finish();
        run.assertClean("N02 lost-release-reply", "lost reply");
    }

    /** N04. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void acquireThatArrivesWhenItsCallerHasGoneIsNeverUsedAndEndsWithItsLease() {
        LockKey key = run.key("n04");
        JudgedClient client = acquainted("one", key);
        JudgedClient other = run.direct("two");
        Duration patience = Duration.ofMillis(700);
        try (Injected late = run.inject("late acquire", () -> run.proxy().holdAndCut(run.statement("take")))) {
            Duration took = timed(() -> assertThatThrownBy(() -> client.acquire(Ask.of(key, LEASE, patience)))
                    .isInstanceOf(StoreUnavailableException.class));
            assertThat(took).as("patience").isLessThan(patience.plus(SLACK));
            late.awaitActed();
            // Now nobody withdraws it any more, either.
            pass(LEASE);
        }
        JudgedRun.until("the late acquire has arrived", () -> run.leftovers() > 0);
        Duration ghost = timed(() -> other.acquire(key).finish());
        assertThat(ghost).as("life of the ghost").isLessThan(LEASE.plus(SLACK));
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("N04 delayed-acquire: ghost held for " + ghost.toMillis() + " ms", "late acquire");
    }

    /** N05. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void releaseThatArrivesAfterTheNextGrantLeavesItAlone() {
        LockKey key = run.key("n05");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        JudgedClient.Held held = client.acquire(key);
        JudgedClient.Held next;
        try (Injected late = run.inject(
                "late release",
                () -> run.proxy().holdAndCut(run.statement("give").nth(1)))) {
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
            next = other.acquire(key);
            assertThat(next.raise()).isTrue();
            late.fault().heal();
            late.fault().lastActedOn().orElseThrow().awaitClosed(PATIENCE);
        }
        assertThat(run.recordedGrant(key)).isEqualTo(new FencingToken(next.token()).grant());
        assertThatThrownBy(() -> client.acquire(once(key))).isInstanceOf(LockTimeoutException.class);
        assertThat(next.isHeld()).isTrue();
        assertThat(next.write(next.read())).isTrue();
        assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("N05 delayed-release", "late release");
    }

    /** N06. The old renewal would last ten times as long as the new lease. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void renewalThatArrivesAfterTheNextGrantExtendsNothing() {
        LockKey key = run.key("n06");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        JudgedClient.Held held = client.acquire(Ask.of(key, LEASE, PATIENCE).unrenewed());
        JudgedClient.Held next;
        long left;
        try (Injected late = run.inject(
                "late renewal",
                () -> run.proxy().holdAndCut(run.statement("extend").nth(1)))) {
            renewedOrNot(held, LEASE.multipliedBy(10));
            late.awaitActed();
            held.release();
            next = other.granted(Ask.of(key, LEASE, Duration.ZERO).unrenewed());
            left = run.millisLeft(key);
            late.fault().heal();
            late.fault().lastActedOn().orElseThrow().awaitClosed(PATIENCE);
        }
        assertThat(run.millisLeft(key)).as("milliseconds left of the new lease").isLessThanOrEqualTo(left);
        assertThat(run.recordedGrant(key)).isEqualTo(new FencingToken(next.token()).grant());
        assertThat(next.update()).isTrue();
        assertThat(next.release()).isIn(ReleaseResult.RELEASED, ReleaseResult.ALREADY_ENDED);
        run.assertClean("N06 delayed-renewal", "late renewal");
    }

    /** By another connection, if the server has noticed that the first one is gone. */
    private static void renewedOrNot(JudgedClient.Held held, Duration lease) {
        try {
            assertThat(held.renew(lease)).isPositive();
        } catch (StoreUnavailableException e) {
            // Not renewed: whoever holds it knows.
        }
    }

    /** N07. Validity counts from before the request left: what arrives too late is given back and not used. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void grantWhoseReplyTakesAsLongAsTheLeaseIsRefused() {
        record Slow(double factor, JudgedClient client, FaultProxy proxy, LockKey key) {}
        List<Slow> all = new ArrayList<>();
        for (double factor : new double[] {IN_TIME, 0.99, 1.01}) {
            FaultProxy own = run.newProxy();
            JudgedClient client = run.client(
                    "slow " + factor,
                    own,
                    backend -> backend.silence(PATIENCE),
                    options -> options.answerWithin(PATIENCE));
            LockKey key = run.key("n07-" + factor);
            assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
            all.add(new Slow(factor, client, own, key));
        }
        List<CompletableFuture<JudgedClient.Held>> asked = new ArrayList<>();
        List<CompletableFuture<Void>> healing = new ArrayList<>();
        List<Long> granted = new ArrayList<>();
        // The request left within this time after its reply began to count.
        List<Duration> doubt = new ArrayList<>();
        for (Slow slow : all) {
            Injected late = run.inject(
                    "slow reply", () -> slow.proxy().hold(grantedReply().nth(1)));
            long before = System.nanoTime();
            asked.add(slow.client()
                    .acquireAsync(Ask.of(slow.key(), LEASE, PATIENCE).unrenewed()));
            if (slow.factor() > IN_TIME) {
                late.awaitActed();
            }
            // Validity counts from before the request left, which was between these two moments. A busy machine makes
            // what lies between
            // them long: the reply that must be in time counts from the first, those that must be late count from the
            // second.
            long from = slow.factor() > IN_TIME ? System.nanoTime() : before;
            healing.add(slow.client().async(() -> {
                pass(Duration.ofNanos((long) (LEASE.toNanos() * slow.factor()) - (System.nanoTime() - from)));
                late.close();
            }));
            late.awaitActed();
            doubt.add(Duration.ofNanos(System.nanoTime() - before));
            granted.add(run.recordedGrant(slow.key()));
        }
        JudgedClient.Held inTime = JudgedClient.await(asked.get(0));
        assertThat(new FencingToken(inTime.token()).grant()).isEqualTo(granted.get(0));
        assertThat(inTime.lease().remaining())
                .as("what is left of a lease of which 0.9 went by")
                .isBetween(Duration.ZERO, LEASE.dividedBy(10).plus(doubt.get(0)));
        for (int i = 1; i < 3; i++) {
            JudgedClient.Held next = JudgedClient.await(asked.get(i));
            assertThat(new FencingToken(next.token()).grant())
                    .as("a new grant, not the one that came too late")
                    .isGreaterThan(granted.get(i));
            assertThat(next.update()).isTrue();
            assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        }
        healing.forEach(JudgedClient::await);
        JudgedRun.until("the holder is told", () -> inTime.lost() == LossReason.EXPIRED);
        all.get(0).client().acquire(all.get(0).key()).finish();
        run.assertClean("N07 slow-reply-near-lease", "slow reply");
    }

    /** The server's answer that one row was changed, and to a number of ours. */
    private Matching grantedReply() {
        if (database.dialect() == Dialect.POSTGRESQL) {
            return Matching.replyContaining("UPDATE 1");
        }
        // An OK packet: header, one row, and an eight-byte number.
        return Matching.reply(bytes -> bytes.length > 14 && bytes[4] == 0 && bytes[5] == 1 && bytes[6] == (byte) 0xfe);
    }

    /** P08. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void oneLostRenewalDoesNotEndRenewal() {
        LockKey key = run.key("p08");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        Recording renewals = run.proxy().record(run.statement("extend"));
        try (Injected lost = run.inject(
                "lost reply",
                () -> run.proxy().cutBeforeReply(run.statement("extend").nth(1)))) {
            JudgedClient.Held held = client.acquire(key);
            CompletableFuture<JudgedClient.Held> rival =
                    other.acquireAsync(Ask.of(key, LEASE, LEASE.plus(LEASE.dividedBy(3))));
            lost.awaitActed();
            assertThatThrownBy(() -> JudgedClient.await(rival)).hasCauseInstanceOf(LockTimeoutException.class);
            assertThat(renewals.size()).as("renewals in 1.3 leases").isGreaterThanOrEqualTo(3);
            assertThat(held.isHeld()).isTrue();
            assertThat(held.lost()).isNull();
            held.finish();
        }
        assertThat(other.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("P08 watchdog-one-failure: " + renewals.size() + " renewals", "lost reply");
    }

    /** P09. All renewals wait on their way until the lease has ended and somebody else has the lock; then they arrive. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void renewalOfALostLockNeverExtendsTheSuccessor() {
        LockKey key = run.key("p09");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        JudgedClient.Held held = client.acquire(key);
        assertThat(held.raise()).isTrue();
        long base = held.read();
        JudgedClient.Held next;
        long left;
        try (Injected late = run.inject("late renewal", () -> run.proxy().hold(run.anyRenewal()))) {
            next = other.acquire(Ask.of(key, LEASE.multipliedBy(2), PATIENCE).unrenewed());
            assertThat(next.raise()).isTrue();
            assertThat(held.isHeld()).isFalse();
            JudgedRun.until("the holder is told", () -> held.lost() != null);
            late.awaitActed();
            left = run.millisLeft(key);
            ProxiedConnection way = late.fault().lastActedOn().orElseThrow();
            late.fault().heal();
            JudgedRun.until(
                    "the late renewals have arrived, or the server has hung up",
                    () -> !way.isOpen() || way.received(Direction.TO_SERVER) == way.delivered(Direction.TO_SERVER));
            // So has what was asked for while the holder believed, and had to wait for a connection.
            pass(Duration.ofMillis(300));
        }
        assertThat(run.millisLeft(key))
                .as("milliseconds left of the successor's lease")
                .isLessThanOrEqualTo(left);
        assertThat(run.recordedGrant(key)).isEqualTo(new FencingToken(next.token()).grant());
        assertThat(held.write(base)).as("stale write").isFalse();
        assertThat(next.write(next.read())).isTrue();
        assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("P09 watchdog-zombie", "late renewal");
    }

    /**
     * N09 at the worst moment: the network falls silent between the statements of a transaction, while the rows of its locks are locked.
     * The server must not wait for the rest of it for ever.
     */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void silenceInTheMiddleOfATransactionDelaysOthersOnlyForALittleLongerThanTheLease() {
        LockKey key = run.key("mid");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        // Leases of several requests that are due together are renewed in one transaction, which locks the rows of
        // their locks; on every
        // database if they are shared.
        JudgedClient.Held held = client.acquire(Ask.of(key, LEASE, PATIENCE), LockRequest::shared);
        long base = held.read();
        List<JudgedClient.Held> beside = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            beside.add(client.acquire(Ask.of(run.key("mid-beside-" + i), LEASE, PATIENCE), LockRequest::shared));
        }
        Duration takeover;
        try (Injected mid = run.inject(
                "silence", () -> run.proxy().hold(requestContaining("COMMIT").nth(1)))) {
            mid.awaitActed();
            // From here on nothing gets through, not even a driver that wants to end its old session.
            try (Fault silence = run.proxy().drop(Direction.TO_SERVER)) {
                takeover = timed(() -> {
                    JudgedClient.Held next = other.granted(key);
                    assertThat(next.token()).isGreaterThan(held.token());
                    next.finish();
                });
                assertThat(silence.kind()).isNotNull();
            }
            assertThat(held.write(base)).as("stale write").isFalse();
        }
        // Some of them may have outlived the silence.
        beside.forEach(JudgedClient.Held::release);
        assertThat(takeover).as("takeover").isLessThan(LEASE.plus(SLACK.multipliedBy(3)));
        run.assertClean(
                "N09 silence before a commit: taken over after " + takeover.toMillis() + " ms",
                expected -> expected.injecting("silence").grantedWithin(PATIENCE.multipliedBy(3)));
    }

    /** A connection that breaks before the commit has done nothing, so it is for us to use another one. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void connectionThatBreaksBeforeTheCommitFailsNoCaller() {
        LockKey key = run.key("broken");
        JudgedClient client = acquainted("one", key);
        try (Injected lost = run.inject(
                "lost reply",
                () -> run.proxy().cutBeforeReply(run.statement("lock").nth(1)))) {
            JudgedClient.Held held = client.acquire(Ask.of(key, LEASE, PATIENCE), LockRequest::shared);
            lost.awaitActed();
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        }
        client.acquire(key).finish();
        run.assertClean("Connection lost before a commit", "lost reply");
    }
}
