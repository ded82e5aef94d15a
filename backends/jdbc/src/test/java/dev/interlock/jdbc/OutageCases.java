package dev.interlock.jdbc;

import static dev.interlock.jdbc.FaultRun.POOL;
import static dev.interlock.testkit.faults.Direction.TO_CLIENT;
import static dev.interlock.testkit.faults.Direction.TO_SERVER;
import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static dev.interlock.testkit.judged.JudgedRun.SLACK;
import static dev.interlock.testkit.judged.JudgedRun.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.faults.Direction;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.JudgedRun.Injected;
import dev.interlock.testkit.workers.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The way to the server is silent, broken or deaf in one direction: N08–N11, and S01, sessions that somebody ends. Callers hear that the
 * store is unavailable, within their patience and never that the lock is busy; holders are told by their deadline; and when the network
 * heals, the same client goes on.
 */
@Timeout(90)
abstract class OutageCases extends FaultCases {
    private static final Duration BRIEF = Duration.ofMillis(400);

    private final FaultDatabase database;

    OutageCases(FaultDatabase database) {
        super(database);
        this.database = database;
    }

    /** How long the caller was kept waiting before it heard that the store is unavailable; anything else fails. */
    private static Duration refusedAfter(JudgedClient client, LockKey key, Duration patience) {
        return JudgedRun.timed(() -> assertThatThrownBy(() -> client.acquire(Ask.of(key, LEASE, patience)))
                .isInstanceOf(StoreUnavailableException.class));
    }

    /** The same client takes locks and keeps them again; how long that took. */
    static Duration serviceAfter(JudgedClient client, LockKey key) {
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
            until("the holder is told", () -> held.lost() != null);
            assertThat(refusedAfter(client, wanted, BRIEF)).as("patience").isLessThan(BRIEF.plus(SLACK));
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

    /** The statement is made by the caller's own thread, over a connection that was at hand: it must come back though no answer does. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource(Direction.class)
    void callersOwnThreadComesBackFromSilence(Direction direction) {
        Duration patience = Duration.ofSeconds(3);
        LockKey key = run.key("own-thread");
        JudgedClient client = run.client("one");
        for (int i = 0; i < 20; i++) {
            client.acquire(key).release();
        }
        try (Injected silence = run.inject("silence", () -> run.proxy().drop(direction))) {
            assertThat(refusedAfter(client, key, patience)).as("patience").isLessThan(patience.plus(SLACK));
            silence.awaitActed();
        }
        Duration healed = serviceAfter(client, key);
        run.assertClean("own thread " + direction + ": service after " + healed.toMillis() + " ms", "silence");
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
                    () -> until("it connects anew", () -> run.proxy().accepted() > connected));
            out.awaitActed();
        }
        assertThat(holder.update()).isTrue();
        assertThat(holder.release()).isEqualTo(ReleaseResult.RELEASED);
        Duration healed = JudgedRun.timed(() -> JudgedClient.await(waiting).finish());
        run.assertClean(
                "N09 silent-drop: noticed after " + noticed.toMillis() + " ms, granted " + healed.toMillis()
                        + " ms after healing",
                "silence");
    }

    /** N09, when the other side says so. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void refusedConnectionFailsCallersWithinTheirPatienceAndHeals() {
        LockKey key = run.key("refused");
        JudgedClient client = run.client("one");
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        try (Injected rejected = run.inject("refuse", () -> run.proxy().reject())) {
            run.proxy().cut();
            for (int i = 0; i < 3; i++) {
                assertThat(refusedAfter(client, key, BRIEF)).isLessThan(BRIEF.plus(SLACK));
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
        int listening = database.dialect() == Dialect.POSTGRESQL ? 2 : 0;
        until("all connections were given back", () -> run.lent() == listening);
        until(
                "no more are open than the pools may have",
                () -> run.proxy().connections().size() <= 2 * POOL);
        run.assertClean(
                "N10 reset-storm: " + resets + " resets, " + grants + " grants meanwhile, service after "
                        + healed.toMillis() + " ms",
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
        run.strike("half-close", () -> run.proxy().halfClose(direction));
        Duration healed = serviceAfter(client, run.key("n11-wanted"));
        assertThat(held.isHeld()).as("a lease survives a lost connection").isTrue();
        held.finish();
        run.assertClean("N11 half-close " + direction + ": service after " + healed.toMillis() + " ms", "half-close");
    }

    /** S05. The server ends every session that is idle for a second; the pool is given no chance to know. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void sessionsThatTheServerEndsForIdlenessCostNoLeaseAndFailNoCaller() {
        LockKey key = run.key("s05");
        JudgedClient client = run.directWith(
                "one",
                database.dialect() == Dialect.POSTGRESQL
                        ? "&options=-c%20idle_session_timeout=1s"
                        : "&sessionVariables=wait_timeout=1");
        JudgedClient.Held held = client.acquire(Ask.of(key, LEASE.multipliedBy(4), PATIENCE));
        for (int i = 0; i < 2; i++) {
            dev.interlock.testkit.history.Fault idle = run.recorder().faultStarted("idle");
            JudgedRun.pass(Duration.ofMillis(1_600));
            idle.acted();
            idle.stopped();
            client.acquire(run.key("s05-" + i)).finish();
        }
        assertThat(held.isHeld()).isTrue();
        held.finish();
        run.assertClean("S05 idle-timeout", "idle");
    }
}
