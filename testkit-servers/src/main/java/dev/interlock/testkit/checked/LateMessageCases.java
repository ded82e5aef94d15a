package dev.interlock.testkit.checked;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static dev.interlock.testkit.checked.CheckedRun.SLACK;
import static dev.interlock.testkit.checked.CheckedRun.pass;
import static dev.interlock.testkit.checked.CheckedRun.timed;
import static dev.interlock.testkit.checked.CheckedRun.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.checked.FaultRoute.Injected;
import dev.interlock.testkit.faults.Direction;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.faults.ProxiedConnection;
import dev.interlock.testkit.workers.WorkerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Requests and replies that are lost, duplicated or late: N01–N07, P08, P09 and P18. */
@Timeout(60)
abstract class LateMessageCases extends FaultCases {
    /** The part of the lease after which a reply is still in time. */
    private static final double IN_TIME = 0.9;

    LateMessageCases(FaultTck kit) {
        super(kit, FaultTck.Disturbance.NETWORK);
    }

    private static WorkerRequest once(LockKey key) {
        return WorkerRequest.of(key, LEASE, Duration.ZERO);
    }

    private static long grantOf(CheckedClient.Held held) {
        return new FencingToken(held.token()).grant();
    }

    /** Opens a client that has used the lock before, so that the store knows its name. */
    private CheckedClient knownClient(String name, LockKey key) {
        CheckedClient client = run().client(name);
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        return client;
    }

    /** N01. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void retryOfAnAcquireWhoseReplyIsLostGetsTheSameGrant() {
        LockKey key = run().key("n01");
        Matching acquire = run().requests().acquire(key);
        retryGetsTheSameGrant(knownClient("one", key), key, acquire.nth(1), acquire.nth(2));
        run().assertClean("N01 lost-acquire-reply", "lost reply", "retry");
    }

    /** N01, if the store has never seen the key. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void retryOfTheFirstAcquireOfAKeyGetsTheSameGrant() {
        LockKey key = run().key("n01-new");
        Matching acquire = run().requests().acquire(key);
        Optional<Matching> first = run().requests().firstAcquire(key);
        retryGetsTheSameGrant(
                run().client("one"), key, first.orElse(acquire).nth(1), acquire.nth(first.isPresent() ? 1 : 2));
        run().assertClean("N01 lost-acquire-reply of a new name", "lost reply", "retry");
    }

    /** The retry is held back until the store's state was read, so that the state before and after it is known. */
    private void retryGetsTheSameGrant(CheckedClient client, LockKey key, Matching first, Matching second) {
        FaultRun run = run();
        CheckedClient.Held held;
        long granted;
        long lastNumber;
        try (Injected lost = run.inject("lost reply", proxy -> proxy.cutBeforeReply(first));
                Injected retry = run.inject("retry", proxy -> proxy.hold(second))) {
            CompletableFuture<CheckedClient.Held> acquiring =
                    client.acquireAsync(WorkerRequest.of(key, LEASE, PATIENCE));
            lost.awaitActed();
            retry.awaitActed();
            granted = run.state().recordedGrant(key);
            lastNumber = run.state().lastNumber(key);
            retry.heal();
            held = CheckedClient.await(acquiring);
        }
        assertThat(granted).as("number of the grant").isPositive();
        assertThat(grantOf(held)).as("number of the grant").isEqualTo(granted);
        assertThat(run.state().recordedGrant(key)).isEqualTo(granted);
        assertThat(run.state().lastNumber(key))
                .as("no number drawn by the retry")
                .isEqualTo(lastNumber);
        held.finish();
        client.acquire(key).finish();
    }

    /** N02. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void releaseWhoseReplyIsLostIsDoneAndNotReportedAsLost() {
        FaultRun run = run();
        LockKey key = run.key("n02");
        CheckedClient client = run.client("one");
        CheckedClient.Held held = client.acquire(key);
        assertThat(held.update()).isTrue();
        Matching release = run.requests().release(key).nth(1);
        try (Injected lost = run.inject("lost reply", proxy -> proxy.cutBeforeReply(release))) {
            assertThat(held.release())
                    .as("released or unknown, since it was not lost before")
                    .isIn(ReleaseResult.RELEASED, ReleaseResult.UNKNOWN);
            lost.awaitActed();
        }
        assertThat(run.state().leftovers()).isEmpty();
        run.direct("two").acquire(once(key)).finish();
        run.assertClean("N02 lost-release-reply", "lost reply");
    }

    /** N03: at the same time on another connection, and again while another client holds the lock. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void duplicatedRequestHasTheEffectOfOne() {
        FaultRun run = run();
        run.assume(FaultTrait.REPLAYABLE_REQUESTS);
        LockKey key = run.key("n03");
        // No connection is opened after this acquire, so no new connection draws a number.
        CheckedClient client = knownClient("one", key);
        CheckedClient other = run.direct("two");
        long before = run.state().lastNumber(key);
        Matching acquire = run.requests().acquire(key);
        Matching renew = run.requests().renew(key);
        FaultRoute.Recordings attempts = run.route().record(acquire);
        FaultRoute.Recordings renewals = run.route().record(renew);
        FaultRoute.Recordings releases = run.route().record(run.requests().release(key));
        CheckedClient.Held held;
        try (Injected twice = run.inject("replay", proxy -> proxy.replay(acquire));
                Injected again = run.inject("replay", proxy -> proxy.replay(renew))) {
            held = client.acquire(key);
            twice.awaitActed();
            held.renew(LEASE);
            again.awaitActed();
        }
        attempts.replay(1, SLACK);
        assertThat(run.state().recordedGrant(key)).isEqualTo(grantOf(held));
        if (run.has(FaultTrait.CONSECUTIVE_NUMBERS)) {
            assertThat(run.state().lastNumber(key)).as("numbers drawn").isEqualTo(before + 1);
        }
        assertThat(run.state().lastNumber(key)).as("last number").isEqualTo(grantOf(held));
        assertThat(held.update()).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);

        CheckedClient.Held next = other.acquire(key);
        attempts.replay(1, SLACK);
        renewals.replay(1, SLACK);
        releases.replay(1, SLACK);
        assertThat(run.state().recordedGrant(key)).isEqualTo(grantOf(next));
        next.finish();
        run.assertClean("N03 duplicated-request", "replay");
    }

    /** N04. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void acquireThatArrivesAfterItsCallerLeftIsNeverUsedAndEndsWithItsLease() {
        FaultRun run = run();
        LockKey key = run.key("n04");
        CheckedClient client = knownClient("one", key);
        CheckedClient other = run.direct("two");
        Duration patience = Duration.ofMillis(700);
        Matching acquire = run.requests().acquire(key);
        try (Injected late = run.inject("late acquire", proxy -> proxy.holdAndCut(acquire))) {
            Duration took = timed(() -> assertThatThrownBy(() -> client.acquire(WorkerRequest.of(key, LEASE, patience)))
                    .isInstanceOf(StoreUnavailableException.class));
            assertThat(took).as("patience").isLessThan(patience.plus(SLACK));
            late.awaitActed();
            // After this time the client no longer withdraws the attempt.
            pass(LEASE);
        }
        until("the late acquire has arrived", () -> !run.state().leftovers().isEmpty());
        Duration orphaned = timed(() -> other.acquire(key).finish());
        assertThat(orphaned).as("life of the orphaned grant").isLessThan(LEASE.plus(SLACK));
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("N04 delayed-acquire: orphaned grant held for " + orphaned.toMillis() + " ms", "late acquire");
    }

    /** N05. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void releaseThatArrivesAfterTheNextGrantLeavesItAlone() {
        FaultRun run = run();
        LockKey key = run.key("n05");
        CheckedClient client = run.client("one");
        CheckedClient other = run.direct("two");
        CheckedClient.Held held = client.acquire(key);
        CheckedClient.Held next;
        Matching release = run.requests().release(key).nth(1);
        try (Injected late = run.inject("late release", proxy -> proxy.holdAndCut(release))) {
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
            next = other.acquire(key);
            assertThat(next.raise()).isTrue();
            late.heal();
            assertThat(late.lastActedOn()).isNotEmpty();
            late.awaitClosed(PATIENCE);
        }
        assertThat(run.state().recordedGrant(key)).isEqualTo(grantOf(next));
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
        FaultRun run = run();
        boolean once = run.has(FaultTrait.RENEWS_ONCE);
        LockKey key = run.key("n06");
        CheckedClient client = run.client("one");
        CheckedClient other = run.direct("two");
        WorkerRequest request = WorkerRequest.of(key, LEASE, PATIENCE);
        CheckedClient.Held held = client.acquire(once ? request : request.unrenewed());
        CheckedClient.Held next;
        long left;
        Matching renew = run.requests().renew(key).nth(1);
        try (Injected late = run.inject("late renewal", proxy -> proxy.holdAndCut(renew))) {
            if (once) {
                assertThatThrownBy(() -> held.renew(LEASE.multipliedBy(10)))
                        .isInstanceOf(StoreUnavailableException.class);
                late.awaitActed();
                assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
                next = other.acquire(request.unrenewed());
            } else {
                renewOnAnotherConnectionOrFail(held, LEASE.multipliedBy(10));
                late.awaitActed();
                held.release();
                next = other.granted(once(key).unrenewed());
            }
            left = run.state().millisLeft(key);
            late.heal();
            assertThat(late.lastActedOn()).isNotEmpty();
            late.awaitClosed(PATIENCE);
        }
        assertThat(run.state().millisLeft(key))
                .as("milliseconds left of the new lease")
                .isBetween(once ? 0L : Long.MIN_VALUE, left);
        assertThat(run.state().recordedGrant(key)).isEqualTo(grantOf(next));
        assertThat(next.update()).isTrue();
        ReleaseResult released = next.release();
        if (once) {
            assertThat(released).isEqualTo(ReleaseResult.RELEASED);
        } else {
            // Until the server noticed that the first connection is gone, the new lease may have ended.
            assertThat(released).isIn(ReleaseResult.RELEASED, ReleaseResult.ALREADY_ENDED);
        }
        run.assertClean("N06 delayed-renewal", "late renewal");
    }

    private static void renewOnAnotherConnectionOrFail(CheckedClient.Held held, Duration lease) {
        try {
            assertThat(held.renew(lease)).isPositive();
        } catch (StoreUnavailableException e) {
            // Not renewed, and the holder knows it.
        }
    }

    /** N07. A lease counts from before its request was sent. A grant that arrives too late is returned and not used. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void grantWhoseReplyTakesAsLongAsTheLeaseIsRefused() {
        FaultRun run = run();
        run.assume(FaultTrait.ONE_ROUND_TRIP_ACQUIRE);
        List<SlowClient> all = slowClients();
        List<Injected> faults = new ArrayList<>();
        List<CompletableFuture<CheckedClient.Held>> acquiring = new ArrayList<>();
        for (SlowClient slow : all) {
            Duration delay = Duration.ofNanos((long) (LEASE.toNanos() * slow.factor()));
            faults.add(run.inject("slow reply", slow.route(), proxy -> proxy.delay(Direction.TO_CLIENT, delay)));
            acquiring.add(slow.client()
                    .acquireAsync(WorkerRequest.of(slow.key(), LEASE, LEASE.plusMillis(200))
                            .unrenewed()));
        }
        CheckedClient.Held inTime = CheckedClient.await(acquiring.get(0));
        assertThat(inTime.lease().remaining())
                .as("the rest of a lease of which 0.9 has passed")
                .isBetween(Duration.ZERO, LEASE.dividedBy(10));
        boolean stillHeld = inTime.isHeld();
        assertThat(inTime.update()).as("held %s", stillHeld).isTrue();
        for (CompletableFuture<CheckedClient.Held> tooLate : acquiring.subList(1, 3)) {
            assertThatThrownBy(() -> CheckedClient.await(tooLate)).hasCauseInstanceOf(StoreUnavailableException.class);
        }
        until("the loss is reported", () -> inTime.lost() == LossReason.EXPIRED);
        faults.forEach(fault -> fault.awaitActed().close());
        for (SlowClient slow : all) {
            slow.client().acquire(slow.key()).finish();
        }
        run.assertClean("N07 slow-reply-near-lease", "slow reply");
    }

    /** N07, if the caller has the patience for another attempt. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void grantWhoseReplyTakesAsLongAsTheLeaseIsReplacedByANewOne() {
        FaultRun run = run();
        Optional<Matching> grantReply = run.requests().grantReply();
        if (grantReply.isEmpty()) {
            run.skip("grant replies that can be matched");
        }
        List<SlowClient> all = slowClients();
        for (SlowClient slow : all) {
            assertThat(slow.client().acquire(slow.key()).release()).isEqualTo(ReleaseResult.RELEASED);
        }
        List<CompletableFuture<CheckedClient.Held>> acquiring = new ArrayList<>();
        List<CompletableFuture<Void>> healing = new ArrayList<>();
        List<Long> granted = new ArrayList<>();
        // How long after its start the request was sent at the latest.
        List<Duration> doubt = new ArrayList<>();
        for (SlowClient slow : all) {
            Injected late = run.inject(
                    "slow reply",
                    slow.route(),
                    proxy -> proxy.hold(grantReply.orElseThrow().nth(1)));
            long before = System.nanoTime();
            acquiring.add(slow.client()
                    .acquireAsync(WorkerRequest.of(slow.key(), LEASE, PATIENCE).unrenewed()));
            if (slow.factor() > IN_TIME) {
                late.awaitActed();
            }
            // The request was sent between these two moments, which may be far apart on a busy machine. The reply that
            // must be in time counts from the first, the replies that must be late count from the second.
            long from = slow.factor() > IN_TIME ? System.nanoTime() : before;
            healing.add(slow.client().async(() -> {
                pass(Duration.ofNanos((long) (LEASE.toNanos() * slow.factor()) - (System.nanoTime() - from)));
                late.close();
            }));
            late.awaitActed();
            doubt.add(Duration.ofNanos(System.nanoTime() - before));
            granted.add(run.state().recordedGrant(slow.key()));
        }
        CheckedClient.Held inTime = CheckedClient.await(acquiring.get(0));
        assertThat(grantOf(inTime)).isEqualTo(granted.get(0));
        assertThat(inTime.lease().remaining())
                .as("the rest of a lease of which 0.9 has passed")
                .isBetween(Duration.ZERO, LEASE.dividedBy(10).plus(doubt.get(0)));
        for (int i = 1; i < 3; i++) {
            CheckedClient.Held next = CheckedClient.await(acquiring.get(i));
            assertThat(grantOf(next))
                    .as("a new grant, not the one that arrived too late")
                    .isGreaterThan(granted.get(i));
            next.finish();
        }
        healing.forEach(CheckedClient::await);
        until("the loss is reported", () -> inTime.lost() == LossReason.EXPIRED);
        all.get(0).client().acquire(all.get(0).key()).finish();
        run.assertClean("N07 slow-reply-near-lease, with a new grant", "slow reply");
    }

    private record SlowClient(double factor, CheckedClient client, FaultRoute route, LockKey key) {}

    /** Three clients with routes of their own, for replies that take 0.9, 0.99 and 1.01 leases. */
    private List<SlowClient> slowClients() {
        FaultRun run = run();
        List<SlowClient> all = new ArrayList<>();
        for (double factor : new double[] {IN_TIME, 0.99, 1.01}) {
            FaultRoute route = run.newRoute();
            CheckedClient client =
                    run.client("slow " + factor, route, PATIENCE, options -> options.answerWithin(PATIENCE));
            all.add(new SlowClient(factor, client, route, run.key("n07-" + factor)));
        }
        return all;
    }

    /** P08. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void oneLostRenewalDoesNotEndRenewal() {
        FaultRun run = run();
        LockKey key = run.key("p08");
        CheckedClient client = run.client("one");
        CheckedClient other = run.direct("two");
        Matching renew = run.requests().renew(key);
        FaultRoute.Recordings renewals = run.route().record(renew);
        try (Injected lost = run.inject("lost reply", proxy -> proxy.cutBeforeReply(renew.nth(1)))) {
            CheckedClient.Held held = client.acquire(key);
            CompletableFuture<CheckedClient.Held> rival =
                    other.acquireAsync(WorkerRequest.of(key, LEASE, LEASE.plus(LEASE.dividedBy(3))));
            lost.awaitActed();
            assertThatThrownBy(() -> CheckedClient.await(rival)).hasCauseInstanceOf(LockTimeoutException.class);
            assertThat(renewals.size()).as("renewals in 1.3 leases").isGreaterThanOrEqualTo(3);
            assertThat(held.isHeld()).isTrue();
            assertThat(held.lost()).isNull();
            held.finish();
        }
        assertThat(other.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("P08 watchdog-one-failure: " + renewals.size() + " renewals", "lost reply");
    }

    /** P09. All renewals are held until the lease has ended and another client has the lock; then they arrive. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void renewalOfALostLockNeverExtendsTheSuccessor() {
        FaultRun run = run();
        boolean once = run.has(FaultTrait.RENEWS_ONCE);
        LockKey key = run.key("p09");
        CheckedClient client = run.client("one");
        CheckedClient other = run.direct("two");
        CheckedClient.Held held = client.acquire(key);
        assertThat(held.raise()).isTrue();
        long base = held.read();
        CheckedClient.Held next;
        long left;
        Matching renewal = run.requests().anyRenewal(key);
        try (Injected late = run.inject("late renewal", proxy -> proxy.hold(renewal))) {
            Duration lease = once ? LEASE : LEASE.multipliedBy(2);
            next = other.acquire(WorkerRequest.of(key, lease, PATIENCE).unrenewed());
            assertThat(next.raise()).isTrue();
            assertThat(held.isHeld()).isFalse();
            until("the loss is reported", () -> held.lost() != null);
            late.awaitActed();
            left = run.state().millisLeft(key);
            FaultRoute.Recordings afterTheLoss = run.route().record(renewal);
            List<ProxiedConnection> connections = late.lastActedOn();
            late.heal();
            until(
                    "the late renewals have arrived, or the server has closed the connection",
                    () -> connections.stream()
                            .allMatch(connection -> delivered(connection) || (!once && !connection.isOpen())));
            if (once) {
                pass(Duration.ofMillis(100));
                assertThat(afterTheLoss.size()).as("renewals after the loss").isZero();
            } else {
                // Renewals that were requested before the loss may have waited for a connection.
                pass(Duration.ofMillis(300));
            }
        }
        assertThat(run.state().millisLeft(key))
                .as("milliseconds left of the successor's lease")
                .isBetween(once ? 0L : Long.MIN_VALUE, left);
        assertThat(run.state().recordedGrant(key)).isEqualTo(grantOf(next));
        assertThat(held.write(base)).as("stale write").isFalse();
        assertThat(next.write(next.read())).isTrue();
        assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("P09 watchdog-zombie", "late renewal");
    }

    private static boolean delivered(ProxiedConnection connection) {
        return connection.received(Direction.TO_SERVER) == connection.delivered(Direction.TO_SERVER);
    }

    /** P18. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void leaseWithoutRenewalEndsAtItsLength() {
        FaultRun run = run();
        CheckedClient client = run.direct("one");
        CheckedClient other = run.direct("two");
        record Unrenewed(Duration lease, CheckedClient.Held held, CompletableFuture<Long> endedNanos, long began) {}
        List<Unrenewed> all = new ArrayList<>();
        for (Duration lease : List.of(LEASE, LEASE.plusMillis(1_500))) {
            LockKey key = run.key("p18-" + lease.toMillis());
            long began = System.nanoTime();
            CheckedClient.Held held =
                    client.acquire(WorkerRequest.of(key, lease, Duration.ZERO).unrenewed());
            assertThat(run.state().millisLeft(key)).isBetween(1L, lease.toMillis());
            CompletableFuture<Long> ended = other.acquireAsync(WorkerRequest.of(key, LEASE, PATIENCE))
                    .thenApply(next -> {
                        long now = System.nanoTime();
                        next.update();
                        next.release();
                        return now;
                    });
            all.add(new Unrenewed(lease, held, ended, began));
        }
        StringBuilder deviations = new StringBuilder();
        for (Unrenewed one : all) {
            Duration lasted = Duration.ofNanos(CheckedClient.await(one.endedNanos()) - one.began());
            // The holder's own deadline is a hundredth earlier, and the holder releases what it then regards as lost.
            assertThat(lasted)
                    .as("from the acquire to the next grant")
                    .isBetween(
                            one.lease().multipliedBy(98).dividedBy(100),
                            one.lease().plus(SLACK));
            assertThat(one.held().isHeld()).isFalse();
            until("the loss is reported", () -> one.held().lost() == LossReason.EXPIRED);
            deviations.append(' ').append(lasted.minus(one.lease()).toMillis()).append(" ms");
        }
        run.assertClean("P18 explicit-lease-honoured: next grant later than the lease by" + deviations);
    }
}
