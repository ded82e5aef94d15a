package dev.interlock.testkit.checked;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static dev.interlock.testkit.checked.CheckedRun.SLACK;
import static dev.interlock.testkit.checked.CheckedRun.until;
import static dev.interlock.testkit.faults.Direction.TO_CLIENT;
import static dev.interlock.testkit.faults.Direction.TO_SERVER;
import static dev.interlock.testkit.faults.Matching.anyPush;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.checked.FaultRoute.Injected;
import dev.interlock.testkit.faults.Direction;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.workers.WorkerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The network is silent, broken, or open in one direction only: N08–N11, N18. Callers learn within their patience that
 * the store is unavailable, never that the lock is busy. Holders learn of the loss by their deadline. When the network
 * heals, the same client continues.
 */
@Timeout(90)
abstract class OutageCases extends FaultCases {
    private static final Duration BRIEF = Duration.ofMillis(400);

    /** A refusal that does not wait for the network. */
    private static final Duration AT_ONCE = Duration.ofMillis(200);

    OutageCases(FaultTck kit) {
        super(kit, FaultTck.Disturbance.NETWORK);
    }

    /** Returns how long the caller waited before it learned that the store is unavailable. Any other outcome fails. */
    private static Duration refusedAfter(CheckedClient client, LockKey key, Duration patience) {
        return CheckedRun.timed(() -> assertThatThrownBy(() -> client.acquire(WorkerRequest.of(key, LEASE, patience)))
                .isInstanceOf(StoreUnavailableException.class));
    }

    /** Asks until callers are refused at once, because the circuit breaker is open. */
    private static void assertCallersFailFastSoon(CheckedClient client, LockKey key) {
        until("callers fail fast", () -> refusedAfter(client, key, BRIEF).compareTo(AT_ONCE) < 0);
    }

    /** Asserts that the same client acquires and renews locks again; returns how long that took. */
    private static Duration serviceAfter(CheckedClient client, LockKey key) {
        return CheckedRun.timed(() -> {
            List<CheckedClient.Held> granted = new ArrayList<>();
            until("locks are granted again", () -> tryAcquire(client, key, granted));
            CheckedClient.Held held = granted.get(0);
            assertThat(held.update()).isTrue();
            held.awaitRenewal();
            assertThat(held.isHeld()).isTrue();
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        });
    }

    private static boolean tryAcquire(CheckedClient client, LockKey key, List<CheckedClient.Held> granted) {
        try {
            granted.add(client.acquire(WorkerRequest.of(key, LEASE, Duration.ofSeconds(1))));
            return true;
        } catch (StoreUnavailableException | LockTimeoutException e) {
            // An orphaned grant of the outage may hold the lock for the rest of its lease.
            return false;
        }
    }

    /** N08. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void lostRequestsAreNotABusyLockAndTheHolderLearnsInTime() {
        blackHole(TO_SERVER);
    }

    /** N08. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void lostRepliesAreNotABusyLockAndTheHolderLearnsInTime() {
        blackHole(TO_CLIENT);
    }

    private void blackHole(Direction direction) {
        FaultRun run = run();
        LockKey key = run.key("n08");
        LockKey wanted = run.key("n08-wanted");
        CheckedClient client = run.client("one");
        CheckedClient other = run.direct("two");
        CheckedClient.Held held = client.acquire(key);
        assertThat(held.raise()).isTrue();
        long base = held.read();
        try (Injected hole = run.inject("black hole", proxy -> proxy.drop(direction))) {
            assertThat(refusedAfter(client, wanted, BRIEF)).as("patience").isLessThan(BRIEF.plus(SLACK));
            if (run.has(FaultTrait.FAILS_FAST)) {
                assertCallersFailFastSoon(client, wanted);
                until("the loss is reported", () -> held.lost() == LossReason.STORE_UNREACHABLE);
            } else {
                until("the loss is reported", () -> held.lost() != null);
            }
            assertThat(refusedAfter(client, wanted, BRIEF)).as("patience").isLessThan(BRIEF.plus(SLACK));
            CheckedClient.Held next = other.acquire(key);
            assertThat(next.update()).isTrue();
            assertThat(held.isHeld()).isFalse();
            assertThat(held.write(base)).as("stale write").isFalse();
            assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
            hole.awaitActed();
        }
        Duration healed = serviceAfter(client, wanted);
        run.assertClean("N08 black hole " + direction + ": service after " + healed.toMillis() + " ms", "black hole");
    }

    /**
     * N08 for a connected client: the calling thread may send the request itself, and must return although no reply
     * arrives.
     */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void callingThreadReturnsWhenItsRequestIsLost() {
        callingThreadReturns(TO_SERVER);
    }

    /** N08 for a connected client, with lost replies. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void callingThreadReturnsWhenItsReplyIsLost() {
        callingThreadReturns(TO_CLIENT);
    }

    private void callingThreadReturns(Direction direction) {
        FaultRun run = run();
        Duration patience = Duration.ofSeconds(3);
        LockKey key = run.key("own-thread");
        CheckedClient client = run.client("one");
        for (int i = 0; i < 20; i++) {
            client.acquire(key).release();
        }
        try (Injected silence = run.inject("silence", proxy -> proxy.drop(direction))) {
            assertThat(refusedAfter(client, key, patience)).as("patience").isLessThan(patience.plus(SLACK));
            silence.awaitActed();
        }
        Duration healed = serviceAfter(client, key);
        run.assertClean("own thread " + direction + ": service after " + healed.toMillis() + " ms", "silence");
    }

    /** N09. The waiter keeps waiting through the silence, and the client detects the silence itself. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void clientNoticesSilenceAndItsWaiterContinuesAfterwards() {
        FaultRun run = run();
        LockKey key = run.key("n09");
        CheckedClient client = run.client("one");
        CheckedClient other = run.direct("two");
        CheckedClient.Held holder = other.acquire(key);
        CompletableFuture<CheckedClient.Held> waiting =
                client.acquireAsync(WorkerRequest.of(key, LEASE, PATIENCE.multipliedBy(2)));
        until("the waiter is queued", () -> run.state().hasQueue(key));
        Optional<Duration> bound = target().noticesSilenceWithin();
        int replaced = target().connectionsReplaced();
        long connected = run.route().accepted();
        Duration noticed;
        try (Injected out = run.inject("silence", proxy -> proxy.drop(TO_SERVER));
                Injected back = run.inject("silence", proxy -> proxy.drop(TO_CLIENT))) {
            noticed = CheckedRun.timed(
                    () -> until("the client reconnects", () -> run.route().accepted() >= connected + replaced));
            // The silence also affects connections that are being opened now.
            bound.ifPresent(CheckedRun::pass);
            out.awaitActed();
        }
        assertThat(holder.update()).isTrue();
        assertThat(holder.release()).isEqualTo(ReleaseResult.RELEASED);
        Duration healed = CheckedRun.timed(() -> CheckedClient.await(waiting).finish());
        bound.ifPresent(within -> {
            assertThat(noticed).as("detection").isLessThan(within.plus(SLACK));
            assertThat(healed).as("from healing to the grant").isLessThan(within.plus(SLACK));
        });
        run.assertClean(
                "N09 silent-drop: noticed after " + noticed.toMillis() + " ms, granted " + healed.toMillis()
                        + " ms after healing",
                "silence");
    }

    /** N09 at the start: without its subscription a client is slower, but it gets locks. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void clientWithoutAReplyToItsSubscriptionGetsLocks() {
        FaultRun run = run();
        Optional<Matching> subscribe = run.requests().subscribe();
        if (subscribe.isEmpty()) {
            run.skip("a subscription");
        }
        LockKey key = run.key("n09-start");
        try (Injected silent = run.inject("silence", proxy -> proxy.hold(subscribe.orElseThrow()))) {
            CheckedClient client = run.client("one");
            silent.awaitActed();
            CheckedClient.Held held = client.acquire(key);
            assertThat(held.update()).isTrue();
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        }
        run.assertClean("N09 silent-drop at the start", "silence");
    }

    /** N09, if the operating system refuses connections: no caller waits for what is known. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void refusedConnectionFailsCallersAtOnceAndHeals() {
        FaultRun run = run();
        run.assume(FaultTrait.FAILS_FAST);
        LockKey key = run.key("refused");
        CheckedClient client = run.client("one");
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        try (Injected refused = run.inject("refuse", FaultProxy::refuse)) {
            run.route().cut();
            until("callers fail fast", () -> refusedAfter(client, key, PATIENCE).compareTo(AT_ONCE) < 0);
            for (int i = 0; i < 10; i++) {
                assertThat(refusedAfter(client, key, PATIENCE)).isLessThan(LEASE);
            }
            assertThat(refused.faults()).isNotEmpty();
        }
        Duration healed = serviceAfter(client, key);
        run.assertClean("Refused connections: service after " + healed.toMillis() + " ms", "refuse");
    }

    /** N09, if every new connection is accepted and reset. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void rejectedConnectionFailsCallersWithinTheirPatienceAndHeals() {
        FaultRun run = run();
        LockKey key = run.key("rejected");
        CheckedClient client = run.client("one");
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        try (Injected rejected = run.inject("refuse", FaultProxy::reject)) {
            run.route().cut();
            for (int i = 0; i < 3; i++) {
                assertThat(refusedAfter(client, key, BRIEF)).isLessThan(BRIEF.plus(SLACK));
            }
            rejected.awaitActed();
        }
        Duration healed = serviceAfter(client, key);
        run.assertClean("Rejected connections: service after " + healed.toMillis() + " ms", "refuse");
    }

    /** N10. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void resetStormBreaksNothingAndLeaksNoConnection() {
        FaultRun run = run();
        List<LockKey> keys = List.of(run.key("n10-a"), run.key("n10-b"));
        CheckedClient client = run.client("one");
        CheckedClient other = run.client("two");
        keys.forEach(key -> {
            client.acquire(key).release();
            other.acquire(key).release();
        });
        long idle = target().idleConnections(2).orElseGet(() -> run.state().connectionsInUse());
        AtomicInteger grants = new AtomicInteger();
        long end = System.nanoTime() + LEASE.toNanos();
        List<CompletableFuture<Void>> working = new ArrayList<>();
        long resets;
        try (Injected storm =
                run.inject("reset", proxy -> proxy.resetStorm(Duration.ofMillis(100), Duration.ofMillis(500)))) {
            for (int i = 0; i < 4; i++) {
                CheckedClient one = i % 2 == 0 ? client : other;
                LockKey key = keys.get(i / 2);
                working.add(one.async(() -> workUntil(end, one, key, grants)));
            }
            working.forEach(CheckedClient::await);
            resets = storm.acted();
            assertThat(resets).as("connections reset").isGreaterThan(10);
        }
        Duration healed = serviceAfter(client, keys.get(0));
        serviceAfter(other, keys.get(1));
        until("as many connections are in use as before", () -> run.state().connectionsInUse() == idle);
        target().maxConnections()
                .ifPresent(most -> until(
                        "no more connections are open than two clients may have",
                        () -> run.route().connections() <= 2L * most));
        run.assertClean(
                "N10 reset-storm: " + resets + " resets, " + grants + " grants during the storm, service after "
                        + healed.toMillis() + " ms, connections in use before and after: " + idle,
                "reset");
    }

    private static void workUntil(long endNanos, CheckedClient client, LockKey key, AtomicInteger grants) {
        while (System.nanoTime() < endNanos) {
            try {
                CheckedClient.Held held = client.acquire(WorkerRequest.of(key, LEASE, Duration.ofSeconds(1)));
                grants.incrementAndGet();
                held.update();
                held.release();
            } catch (StoreUnavailableException | LockTimeoutException e) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    /** N11. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void connectionHalfClosedTowardsTheServerIsReplaced() {
        halfClose(TO_SERVER);
    }

    /** N11. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void connectionHalfClosedTowardsTheClientIsReplaced() {
        halfClose(TO_CLIENT);
    }

    private void halfClose(Direction direction) {
        FaultRun run = run();
        LockKey key = run.key("n11");
        CheckedClient client = run.client("one");
        CheckedClient.Held held = client.acquire(key);
        long idle = target().idleConnections(1).orElseGet(() -> run.state().connectionsInUse());
        run.strike("half-close", proxy -> proxy.halfClose(direction));
        Duration healed = serviceAfter(client, run.key("n11-wanted"));
        assertThat(held.isHeld()).as("a lease survives a lost connection").isTrue();
        held.finish();
        until("as many connections are in use as before", () -> run.state().connectionsInUse() == idle);
        run.assertClean("N11 half-close " + direction + ": service after " + healed.toMillis() + " ms", "half-close");
    }

    /** N18. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void waitersWithoutPushesAreGrantedByTheirHeartbeat() {
        FaultRun run = run();
        Optional<Duration> bound = target().grantsWithoutPushWithin();
        if (bound.isEmpty()) {
            run.skip("pushes");
        }
        LockKey key = run.key("n18");
        CheckedClient client = run.client("one");
        CheckedClient other = run.direct("two");
        // A wait needs the subscription, so it exists from here on.
        client.acquire(key).release();
        Duration longest = Duration.ZERO;
        try (Injected lost = run.inject("lost push", proxy -> proxy.drop(anyPush()))) {
            for (int i = 0; i < 4; i++) {
                CheckedClient.Held holder = other.acquire(key);
                CompletableFuture<CheckedClient.Held> waiting =
                        client.acquireAsync(WorkerRequest.of(key, LEASE, PATIENCE));
                until("the waiter is queued", () -> run.state().hasQueue(key));
                holder.finish();
                Duration waited =
                        CheckedRun.timed(() -> CheckedClient.await(waiting).finish());
                longest = waited.compareTo(longest) > 0 ? waited : longest;
            }
            assertThat(lost.acted()).as("pushes lost").isPositive();
        }
        assertThat(longest).as("longest wait after the release").isLessThan(bound.orElseThrow());
        run.assertClean("N18 push-only-loss: longest wait after a release " + longest.toMillis() + " ms", "lost push");
    }
}
