package dev.interlock.redis;

import static dev.interlock.redis.FaultRun.calls;
import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static dev.interlock.testkit.judged.JudgedRun.SLACK;
import static dev.interlock.testkit.judged.JudgedRun.pass;
import static dev.interlock.testkit.judged.JudgedRun.timed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.faults.Direction;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.ProxiedConnection;
import dev.interlock.testkit.faults.Recording;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.JudgedRun.Injected;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Requests and replies that are lost, doubled or late: N01–N07, and what becomes of a single lost renewal, P08 and P09. */
@Timeout(60)
class RedisLateMessagesTest {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    private FaultRun run;

    @BeforeEach
    void begin() {
        run = new FaultRun(redis);
    }

    @AfterEach
    void end() throws Exception {
        run.close();
    }

    private static Ask once(LockKey key) {
        return Ask.of(key, LEASE, Duration.ZERO);
    }

    /** N01. The retry is held back until the server was looked at, so that both of its states are known for certain. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void retryOfAnAcquireWhoseReplyIsLostGetsTheSameGrant() {
        LockKey key = run.key("n01");
        JudgedClient client = run.client("one");
        JudgedClient.Held held;
        long granted;
        long counted;
        try (Injected lost = run.inject(
                        "lost reply",
                        () -> run.proxy()
                                .cutBeforeReply(calls(Script.ATTEMPT, key).nth(1)));
                Injected retry = run.inject(
                        "retry",
                        () -> run.proxy().hold(calls(Script.ATTEMPT, key).nth(2)))) {
            CompletableFuture<JudgedClient.Held> asked = client.acquireAsync(Ask.of(key, LEASE, PATIENCE));
            lost.awaitActed();
            retry.awaitActed();
            granted = run.recordedGrant(key);
            counted = run.counter();
            retry.fault().heal();
            held = JudgedClient.await(asked);
        }
        assertThat(new FencingToken(held.token()).grant())
                .as("number of the grant")
                .isEqualTo(granted);
        assertThat(run.recordedGrant(key)).isEqualTo(granted);
        assertThat(run.counter()).as("increments by the retry").isEqualTo(counted);
        assertThat(held.update()).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("N01 lost-acquire-reply", "lost reply", "retry");
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
                () -> run.proxy().cutBeforeReply(calls(Script.RELEASE, key).nth(1)))) {
            assertThat(held.release())
                    .as("released, or not known; it was not lost before")
                    .isIn(ReleaseResult.RELEASED, ReleaseResult.UNKNOWN);
            lost.awaitActed();
        }
        assertThat(run.leftovers()).isEmpty();
        JudgedClient.Held next = run.direct("two").acquire(once(key));
        assertThat(next.update()).isTrue();
        assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("N02 lost-release-reply", "lost reply");
    }

    /** N03: at the same time on another connection, and again when somebody else holds the lock. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void requestThatComesTwiceHasTheOutcomeOfOne() {
        LockKey key = run.key("n03");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        // Whatever is counted now, no connection is made afterwards that raises the counter.
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        long counted = run.counter();
        Recording attempts = run.proxy().record(calls(Script.ATTEMPT, key));
        Recording renewals = run.proxy().record(calls(Script.RENEW, key));
        Recording releases = run.proxy().record(calls(Script.RELEASE, key));
        JudgedClient.Held held;
        try (Injected twice = run.inject("replay", () -> run.proxy().replay(calls(Script.ATTEMPT, key)));
                Injected again = run.inject("replay", () -> run.proxy().replay(calls(Script.RENEW, key)))) {
            held = client.acquire(key);
            twice.awaitActed();
            held.renew(LEASE);
            again.awaitActed();
        }
        attempts.replay(1, SLACK);
        assertThat(run.counter()).as("grants").isEqualTo(counted + 1);
        assertThat(run.recordedGrant(key)).isEqualTo(new FencingToken(held.token()).grant());
        assertThat(held.update()).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);

        JudgedClient.Held next = other.acquire(key);
        attempts.replay(1, SLACK);
        renewals.replay(1, SLACK);
        releases.replay(1, SLACK);
        assertThat(run.recordedGrant(key)).isEqualTo(new FencingToken(next.token()).grant());
        assertThat(next.update()).isTrue();
        assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("N03 duplicated-request", "replay");
    }

    /** N04. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void acquireThatArrivesWhenItsCallerHasGoneIsNeverUsedAndEndsWithItsLease() {
        LockKey key = run.key("n04");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        Duration patience = Duration.ofMillis(700);
        try (Injected late = run.inject("late acquire", () -> run.proxy().holdAndCut(calls(Script.ATTEMPT, key)))) {
            Duration took = timed(() -> assertThatThrownBy(() -> client.acquire(Ask.of(key, LEASE, patience)))
                    .isInstanceOf(StoreUnavailableException.class));
            assertThat(took).as("patience").isLessThan(patience.plus(SLACK));
            late.awaitActed();
            // Now nobody withdraws it any more, either.
            pass(LEASE);
        }
        JudgedRun.until("the late acquire has arrived", () -> !run.leftovers().isEmpty());
        Duration ghost = timed(() -> {
            JudgedClient.Held next = other.acquire(key);
            assertThat(next.update()).isTrue();
            assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        });
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
                () -> run.proxy().holdAndCut(calls(Script.RELEASE, key).nth(1)))) {
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
        JudgedClient.Held held = client.acquire(key);
        JudgedClient.Held next;
        long left;
        try (Injected late = run.inject(
                "late renewal",
                () -> run.proxy().holdAndCut(calls(Script.RENEW, key).nth(1)))) {
            assertThatThrownBy(() -> held.renew(LEASE.multipliedBy(10))).isInstanceOf(StoreUnavailableException.class);
            late.awaitActed();
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
            next = other.acquire(Ask.of(key, LEASE, PATIENCE).unrenewed());
            left = run.millisLeft(key);
            late.fault().heal();
            late.fault().lastActedOn().orElseThrow().awaitClosed(PATIENCE);
        }
        assertThat(run.millisLeft(key)).as("milliseconds left of the new lease").isBetween(0L, left);
        assertThat(run.recordedGrant(key)).isEqualTo(new FencingToken(next.token()).grant());
        assertThat(next.update()).isTrue();
        assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("N06 delayed-renewal", "late renewal");
    }

    /** N07. Validity counts from before the request left: what arrives too late is given back and not used. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void grantWhoseReplyTakesAsLongAsTheLeaseIsRefused() {
        record Slow(double factor, JudgedClient client, FaultProxy proxy, LockKey key) {}
        List<Slow> all = new ArrayList<>();
        for (double factor : new double[] {0.9, 0.99, 1.01}) {
            FaultProxy own = run.newProxy();
            JudgedClient client = run.client(
                    "slow " + factor,
                    own,
                    backend -> backend.silence(PATIENCE),
                    options -> options.answerWithin(PATIENCE));
            all.add(new Slow(factor, client, own, run.key("n07-" + factor)));
        }
        List<Injected> faults = new ArrayList<>();
        List<CompletableFuture<JudgedClient.Held>> asked = new ArrayList<>();
        for (Slow slow : all) {
            Duration delay = Duration.ofNanos((long) (LEASE.toNanos() * slow.factor()));
            faults.add(run.inject("slow reply", () -> slow.proxy().delay(Direction.TO_CLIENT, delay)));
            asked.add(slow.client()
                    .acquireAsync(
                            Ask.of(slow.key(), LEASE, LEASE.plusMillis(200)).unrenewed()));
        }
        JudgedClient.Held inTime = JudgedClient.await(asked.get(0));
        assertThat(inTime.lease().remaining())
                .as("what is left of a lease of which 0.9 went by")
                .isBetween(Duration.ZERO, LEASE.dividedBy(10));
        boolean stillHeld = inTime.isHeld();
        assertThat(inTime.update()).as("held %s", stillHeld).isTrue();
        for (CompletableFuture<JudgedClient.Held> tooLate : asked.subList(1, 3)) {
            assertThatThrownBy(() -> JudgedClient.await(tooLate)).hasCauseInstanceOf(StoreUnavailableException.class);
        }
        JudgedRun.until("the holder is told", () -> inTime.lost() == LossReason.EXPIRED);
        faults.forEach(fault -> fault.awaitActed().close());
        for (Slow slow : all) {
            JudgedClient.Held next = slow.client().acquire(slow.key());
            assertThat(next.update()).isTrue();
            assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        }
        run.assertClean("N07 slow-reply-near-lease", "slow reply");
    }

    /** P08. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void oneLostRenewalDoesNotEndRenewal() {
        LockKey key = run.key("p08");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        Recording renewals = run.proxy().record(calls(Script.RENEW, key));
        try (Injected lost = run.inject(
                "lost reply",
                () -> run.proxy().cutBeforeReply(calls(Script.RENEW, key).nth(1)))) {
            JudgedClient.Held held = client.acquire(key);
            CompletableFuture<JudgedClient.Held> rival =
                    other.acquireAsync(Ask.of(key, LEASE, LEASE.plus(LEASE.dividedBy(3))));
            lost.awaitActed();
            assertThatThrownBy(() -> JudgedClient.await(rival)).hasCauseInstanceOf(LockTimeoutException.class);
            assertThat(renewals.size()).as("renewals in 1.3 leases").isGreaterThanOrEqualTo(3);
            assertThat(held.isHeld()).isTrue();
            assertThat(held.lost()).isNull();
            assertThat(held.update()).isTrue();
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
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
        try (Injected late = run.inject("late renewal", () -> run.proxy().hold(calls(Script.RENEW, key)))) {
            next = other.acquire(Ask.of(key, LEASE, PATIENCE).unrenewed());
            assertThat(next.raise()).isTrue();
            assertThat(held.isHeld()).isFalse();
            JudgedRun.until("the holder is told", () -> held.lost() != null);
            late.awaitActed();
            left = run.millisLeft(key);
            Recording arrived = run.proxy().record(calls(Script.RENEW, key));
            ProxiedConnection way = late.fault().lastActedOn().orElseThrow();
            late.fault().heal();
            JudgedRun.until(
                    "the late renewals have arrived",
                    () -> way.received(Direction.TO_SERVER) == way.delivered(Direction.TO_SERVER));
            pass(Duration.ofMillis(100));
            assertThat(arrived.size()).as("renewals by one that was told").isZero();
        }
        assertThat(run.millisLeft(key))
                .as("milliseconds left of the successor's lease")
                .isBetween(0L, left);
        assertThat(run.recordedGrant(key)).isEqualTo(new FencingToken(next.token()).grant());
        assertThat(held.write(base)).as("stale write").isFalse();
        assertThat(next.write(next.read())).isTrue();
        assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("P09 watchdog-zombie", "late renewal");
    }

    /** P18. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void explicitLeaseWithoutRenewalEndsAtItsLength() {
        JudgedClient client = run.direct("one");
        JudgedClient other = run.direct("two");
        record Case(Duration lease, JudgedClient.Held held, CompletableFuture<Long> endedNanos, long began) {}
        List<Case> all = new ArrayList<>();
        for (Duration lease : List.of(LEASE, LEASE.plusMillis(1_500))) {
            LockKey key = run.key("p18-" + lease.toMillis());
            long began = System.nanoTime();
            JudgedClient.Held held =
                    client.acquire(Ask.of(key, lease, Duration.ZERO).unrenewed());
            assertThat(run.millisLeft(key)).isBetween(1L, lease.toMillis());
            CompletableFuture<Long> ended = other.acquireAsync(Ask.of(key, LEASE, PATIENCE))
                    .thenApply(next -> {
                        long now = System.nanoTime();
                        next.update();
                        next.release();
                        return now;
                    });
            all.add(new Case(lease, held, ended, began));
        }
        StringBuilder deviations = new StringBuilder();
        for (Case one : all) {
            Duration lasted = Duration.ofNanos(JudgedClient.await(one.endedNanos()) - one.began());
            // The holder counts its own deadline a hundredth earlier, and gives back what it then takes for lost.
            assertThat(lasted)
                    .as("from the acquire to the next grant")
                    .isBetween(
                            one.lease().multipliedBy(98).dividedBy(100),
                            one.lease().plus(SLACK));
            assertThat(one.held().isHeld()).isFalse();
            JudgedRun.until("the holder is told", () -> one.held().lost() == LossReason.EXPIRED);
            deviations.append(' ').append(lasted.minus(one.lease()).toMillis()).append(" ms");
        }
        run.assertClean("P18 explicit-lease-honoured: next grant later than the lease by" + deviations);
    }
}
