package dev.interlock.redis;

import static dev.interlock.testkit.faults.Direction.TO_CLIENT;
import static dev.interlock.testkit.faults.Direction.TO_SERVER;
import static dev.interlock.testkit.faults.Matching.anyPush;
import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static dev.interlock.testkit.judged.JudgedRun.SLACK;
import static dev.interlock.testkit.judged.JudgedRun.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.faults.Direction;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.JudgedRun.Injected;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.Ask;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The way to the server is silent, broken or deaf in one direction: N08–N11, N18. Callers hear that the store is unavailable, within their
 * patience and never that the lock is busy; holders are told by their deadline; and when the network heals, the same client goes on.
 */
@Timeout(90)
class RedisOutageTest {
    private static final Duration BRIEF = Duration.ofMillis(400);

    /** A refusal that does not wait for the network. */
    private static final Duration AT_ONCE = Duration.ofMillis(200);

    /** How long a silent connection is put up with, and how often that is looked at. */
    private static final Duration NOTICED_WITHIN = Duration.ofSeconds(2).plusMillis(500);

    private static final Matching SUBSCRIBE = Matching.request(
            bytes -> new String(bytes, StandardCharsets.ISO_8859_1).startsWith("*2\r\n$9\r\nSUBSCRIBE"));

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

    /** How long the caller was kept waiting before it heard that the store is unavailable; anything else fails. */
    private static Duration refusedAfter(JudgedClient client, LockKey key, Duration patience) {
        return JudgedRun.timed(() -> assertThatThrownBy(() -> client.acquire(Ask.of(key, LEASE, patience)))
                .isInstanceOf(StoreUnavailableException.class));
    }

    /** Asks until callers are refused at once, because the circuit is open. */
    private static void assertCallersFailFastSoon(JudgedClient client, LockKey key) {
        until("callers fail fast", () -> refusedAfter(client, key, BRIEF).compareTo(AT_ONCE) < 0);
    }

    /** The same client takes locks and keeps them again; how long that took. */
    private static Duration serviceAfter(JudgedClient client, LockKey key) {
        return JudgedRun.timed(() -> {
            List<JudgedClient.Held> got = new ArrayList<>();
            until("locks are granted again", () -> tried(client, key, got));
            JudgedClient.Held held = got.get(0);
            assertThat(held.update()).isTrue();
            held.awaitRenewal();
            assertThat(held.isHeld()).isTrue();
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        });
    }

    private static boolean tried(JudgedClient client, LockKey key, List<JudgedClient.Held> got) {
        try {
            got.add(client.acquire(Ask.of(key, LEASE, Duration.ofSeconds(1))));
            return true;
        } catch (StoreUnavailableException | LockTimeoutException e) {
            // A ghost of the outage may hold it for the rest of its lease.
            return false;
        }
    }

    /** N08. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource(Direction.class)
    void blackHoleInOneDirectionIsNoBusyLockAndTheHolderIsToldInTime(Direction direction) {
        LockKey key = run.key("n08");
        LockKey wanted = run.key("n08-wanted");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        JudgedClient.Held held = client.acquire(key);
        assertThat(held.raise()).isTrue();
        long base = held.read();
        try (Injected hole = run.inject("black hole", () -> run.proxy().drop(direction))) {
            assertThat(refusedAfter(client, wanted, BRIEF)).as("patience").isLessThan(BRIEF.plus(SLACK));
            assertCallersFailFastSoon(client, wanted);
            until("the holder is told", () -> held.lost() == LossReason.STORE_UNREACHABLE);
            JudgedClient.Held next = other.acquire(key);
            assertThat(next.update()).isTrue();
            assertThat(held.isHeld()).isFalse();
            assertThat(held.write(base)).as("stale write").isFalse();
            assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
            hole.awaitActed();
        }
        Duration healed = serviceAfter(client, wanted);
        run.assertClean("N08 black hole " + direction + ": service after " + healed.toMillis() + " ms", "black hole");
    }

    /** N09. The waiter keeps its patience through the silence, and the client finds out by itself. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void silenceIsNoticedByTheClientItselfAndItsWaiterGoesOnWhenItHeals() {
        LockKey key = run.key("n09");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        JudgedClient.Held holder = other.acquire(key);
        CompletableFuture<JudgedClient.Held> waiting =
                client.acquireAsync(Ask.of(key, LEASE, PATIENCE.multipliedBy(2)));
        until("it waits in the queue", () -> run.hasQueue(key));
        long connected = run.proxy().accepted();
        Duration noticed;
        try (Injected out = run.inject("silence", () -> run.proxy().drop(TO_SERVER));
                Injected back = run.inject("silence", () -> run.proxy().drop(TO_CLIENT))) {
            noticed = JudgedRun.timed(
                    () -> until("it connects anew", () -> run.proxy().accepted() >= connected + 2));
            // Connections that are being made now meet the silence as well.
            JudgedRun.pass(NOTICED_WITHIN);
            out.awaitActed();
        }
        assertThat(noticed).as("detection").isLessThan(NOTICED_WITHIN.plus(SLACK));
        assertThat(holder.update()).isTrue();
        assertThat(holder.release()).isEqualTo(ReleaseResult.RELEASED);
        Duration healed = JudgedRun.timed(() -> {
            JudgedClient.Held got = JudgedClient.await(waiting);
            assertThat(got.update()).isTrue();
            assertThat(got.release()).isEqualTo(ReleaseResult.RELEASED);
        });
        assertThat(healed).as("from healing to the grant").isLessThan(NOTICED_WITHIN.plus(SLACK));
        run.assertClean(
                "N09 silent-drop: noticed after " + noticed.toMillis() + " ms, granted " + healed.toMillis()
                        + " ms after healing",
                "silence");
    }

    /** N09 at the start: without its subscription a client is slower, but not out of work. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void clientWhoseSubscriptionIsNotAnsweredGetsLocksAllTheSame() {
        LockKey key = run.key("n09-start");
        try (Injected silent = run.inject("silence", () -> run.proxy().hold(SUBSCRIBE))) {
            JudgedClient client = run.client("one");
            silent.awaitActed();
            JudgedClient.Held held = client.acquire(key);
            assertThat(held.update()).isTrue();
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        }
        run.assertClean("N09 silent-drop at the start", "silence");
    }

    /** N09, when the other side says so: nobody waits for what is known. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void refusedConnectionFailsCallersAtOnceAndHeals() {
        LockKey key = run.key("refused");
        JudgedClient client = run.client("one");
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        try (Injected closed = run.inject("refuse", () -> run.proxy().refuse())) {
            run.proxy().cut();
            until("it is known", () -> refusedAfter(client, key, PATIENCE).compareTo(AT_ONCE) < 0);
            for (int i = 0; i < 10; i++) {
                assertThat(refusedAfter(client, key, PATIENCE)).isLessThan(LEASE);
            }
        }
        Duration healed = serviceAfter(client, key);
        run.assertClean("Refused connections: service after " + healed.toMillis() + " ms", "refuse");
    }

    /** N10. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void resetStormBreaksNothingAndLeaksNoConnection() {
        List<LockKey> keys = List.of(run.key("n10-a"), run.key("n10-b"));
        JudgedClient client = run.client("one");
        JudgedClient other = run.client("two");
        keys.forEach(key -> {
            client.acquire(key).release();
            other.acquire(key).release();
        });
        long before = run.connections();
        AtomicInteger grants = new AtomicInteger();
        long end = System.nanoTime() + LEASE.toNanos();
        List<CompletableFuture<Void>> working = new ArrayList<>();
        long resets;
        try (Injected storm =
                run.inject("reset", () -> run.proxy().resetStorm(Duration.ofMillis(100), Duration.ofMillis(500)))) {
            for (int i = 0; i < 4; i++) {
                JudgedClient one = i % 2 == 0 ? client : other;
                LockKey key = keys.get(i / 2);
                working.add(one.async(() -> workUntil(end, one, key, grants)));
            }
            working.forEach(JudgedClient::await);
            resets = storm.fault().acted();
            assertThat(resets).as("connections reset").isGreaterThan(10);
        }
        Duration healed = serviceAfter(client, keys.get(0));
        serviceAfter(other, keys.get(1));
        until("there are as many connections as before", () -> run.connections() == before);
        run.assertClean(
                "N10 reset-storm: " + resets + " resets, " + grants + " grants meanwhile, service after "
                        + healed.toMillis() + " ms, connections " + before + " before and after",
                "reset");
    }

    private static void workUntil(long endNanos, JudgedClient client, LockKey key, AtomicInteger grants) {
        while (System.nanoTime() < endNanos) {
            try {
                JudgedClient.Held held = client.acquire(Ask.of(key, LEASE, Duration.ofSeconds(1)));
                grants.incrementAndGet();
                held.update();
                held.release();
            } catch (StoreUnavailableException | LockTimeoutException e) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    /** N11. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource(Direction.class)
    void halfClosedConnectionHangsNobodyAndIsReplaced(Direction direction) {
        LockKey key = run.key("n11");
        JudgedClient client = run.client("one");
        JudgedClient.Held held = client.acquire(key);
        long before = run.connections();
        run.strike("half-close", () -> run.proxy().halfClose(direction));
        Duration healed = serviceAfter(client, run.key("n11-wanted"));
        assertThat(held.isHeld()).as("a lease survives a lost connection").isTrue();
        assertThat(held.update()).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        until("there are as many connections as before", () -> run.connections() == before);
        run.assertClean("N11 half-close " + direction + ": service after " + healed.toMillis() + " ms", "half-close");
    }

    /** N18. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void waitersWithoutPushesGoOnByTheirHeartbeat() {
        LockKey key = run.key("n18");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        // A wait needs the subscription, so from here on it stands.
        client.acquire(key).release();
        Duration longest = Duration.ZERO;
        try (Injected deaf = run.inject("lost push", () -> run.proxy().drop(anyPush()))) {
            for (int i = 0; i < 4; i++) {
                JudgedClient.Held holder = other.acquire(key);
                CompletableFuture<JudgedClient.Held> waiting = client.acquireAsync(Ask.of(key, LEASE, PATIENCE));
                until("it waits in the queue", () -> run.hasQueue(key));
                assertThat(holder.update()).isTrue();
                assertThat(holder.release()).isEqualTo(ReleaseResult.RELEASED);
                Duration waited = JudgedRun.timed(() -> {
                    JudgedClient.Held got = JudgedClient.await(waiting);
                    assertThat(got.update()).isTrue();
                    assertThat(got.release()).isEqualTo(ReleaseResult.RELEASED);
                });
                longest = waited.compareTo(longest) > 0 ? waited : longest;
            }
            assertThat(deaf.fault().acted()).as("pushes lost").isPositive();
        }
        assertThat(longest).as("longest wait after the release").isLessThan(BRIEF.plus(Duration.ofSeconds(1)));
        run.assertClean(
                "N18 pubsub-only-loss: longest wait after a release " + longest.toMillis() + " ms", "lost push");
    }
}
