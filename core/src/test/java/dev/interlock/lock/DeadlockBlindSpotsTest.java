package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isGranted;
import static dev.interlock.support.TwoProcesses.isPending;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitReportExchange;
import dev.interlock.support.ScriptedBackend;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Deadlocks that detection once missed, and what is reported when it cannot work. */
class DeadlockBlindSpotsTest {
    private static final Duration PATIENCE = ofSeconds(60);

    private final List<Interlock> more = new ArrayList<>();

    /** Keeps leases reachable: an unreachable lease counts as a leak and is no longer renewed. */
    private final List<Object> reachable = new ArrayList<>();

    private TwoProcesses world = TwoProcesses.with(DeadlockBlindSpotsTest::unordered);

    private static Interlock.Builder unordered(Interlock.Builder builder) {
        return builder.orderPolicy(OrderPolicy.ALLOW);
    }

    private Locks process(String name) {
        Interlock made = unordered(Interlock.builder(world.memory).name(name).environment(world.clock))
                .build();
        more.add(made);
        return made.locks();
    }

    @AfterEach
    void close() {
        more.forEach(one -> one.shutdown(Duration.ZERO));
        world.close();
    }

    private <T> T granted(CompletionStage<T> stage) {
        T result = TwoProcesses.result(stage);
        reachable.add(result);
        return result;
    }

    private static LockKey k(String name) {
        return LockKey.of(name);
    }

    private static PendingLease<Lease> writes(Locks by, LockScope scope, String key) {
        return by.with(k(key)).in(scope).waitAtMost(PATIENCE).acquireAsync();
    }

    private static PendingLease<Lease> reads(Locks by, LockScope scope, String key) {
        return by.with(k(key)).shared().in(scope).waitAtMost(PATIENCE).acquireAsync();
    }

    private static boolean isVictim(PendingLease<?> wait) {
        return !isPending(wait) && !isGranted(wait) && failure(wait) instanceof DeadlockException;
    }

    /** A process that is paused for a second loses its queue place. Its reader queues again, behind a later writer. */
    @Test
    void readerThatLostItsPlaceWaitsForTheWriterThatCameLater() {
        Locks ours = world.locks();
        Locks others = process("others");
        Locks third = process("third");
        LockScope r = ours.newScope("r");
        LockScope x = others.newScope("x");
        Lease first = third.acquire(k("k"));
        granted(writes(ours, r, "j"));
        PendingLease<Lease> displaced = reads(ours, r, "k");
        world.advance(10);
        PendingLease<Lease> reader = reads(others, x, "k");
        world.advance(10);
        for (int i = 0; i < 4; i++) {
            world.wire.lose(Op.KEEP_WAITING, false);
        }
        world.advance(100);
        Locks fourth = process("fourth");
        PendingLease<Lease> writer = writes(fourth, fourth.newScope("w"), "k");
        world.advance(5_000);
        first.close();
        world.advance(100);
        assertThat(isGranted(reader)).isTrue();
        assertThat(isPending(displaced)).isTrue();
        PendingLease<Lease> last = writes(others, x, "j");
        world.advance(10_000);
        assertThat(List.of(displaced, writer, last)).anyMatch(DeadlockBlindSpotsTest::isVictim);
    }

    @Test
    void slowStoreOnlyDelaysTheVerdict() {
        Locks ours = world.locks();
        LockScope a = ours.newScope("a");
        LockScope b = ours.newScope("b");
        granted(writes(ours, a, "a"));
        granted(writes(ours, b, "b"));
        writes(ours, a, "b");
        world.advance(10);
        PendingLease<Lease> last = writes(ours, b, "a");
        for (int i = 0; i < 10 && !isVictim(last); i++) {
            var answer = world.wire.answerLate(Op.EXCHANGE);
            for (int j = 0; j < 300 && answer.size() == 0; j++) {
                world.advance(10);
            }
            world.advance(1_500);
            answer.go();
        }
        assertThat(isVictim(last)).isTrue();
    }

    @Test
    void requestForAKeyThatItsOwnScopeAcquiredDuringTheWaitIsRefused() {
        Locks ours = world.locks();
        LockScope scope = ours.newScope("twice");
        var slow = world.wire.delay(Op.ATTEMPT, 1);
        PendingLease<Lease> first = writes(ours, scope, "x");
        PendingLease<Lease> second = writes(ours, scope, "x");
        slow.go();
        assertThat(isGranted(first)).isTrue();
        world.advance(2_000);
        assertThat(failure(second))
                .isInstanceOf(AlreadyHeldException.class)
                .hasMessageContaining("\"x\"")
                .hasMessageContaining("twice")
                .hasMessageContaining("at the same time");
        assertThat(granted(first).isHeld()).isTrue();
    }

    @Test
    void graphOfAStoreWithoutWaitReportsAlwaysShowsEveryLongWait() {
        world.close();
        world = new TwoProcesses(ScriptedBackend::withoutWaitReports, DeadlockBlindSpotsTest::unordered);
        Locks ours = world.locks();
        reachable.add(world.others().acquire(k("hot")));
        reachable.add(world.others().acquire(k("hotter")));
        ours.with(k("hot")).waitAtMost(PATIENCE).acquireAsync();
        LockScope scope = ours.newScope("holds something");
        granted(writes(ours, scope, "own"));
        writes(ours, scope, "hotter");
        world.advance(1_100);
        for (int i = 0; i < 30; i++) {
            world.advance(100);
            assertThat(ours.waitForGraph().waits()).hasSize(2);
        }
    }

    /** A wait that holds nothing is on no cycle. Reporting all of them would load the store when a lock is stuck. */
    @Test
    void onlySomeOfManyWaitsThatHoldNothingAreReported() {
        Locks ours = world.locks();
        reachable.add(world.others().acquire(k("hot")));
        for (int i = 0; i < 200; i++) {
            ours.with(k("hot")).waitAtMost(PATIENCE).acquireAsync();
        }
        LockScope scope = ours.newScope("holds something");
        granted(writes(ours, scope, "own"));
        writes(ours, scope, "hot");
        world.advance(10_000);
        assertThat(ours.waitForGraph().waits())
                .hasSize(51)
                .anyMatch(wait -> !wait.held().isEmpty());
    }

    @Test
    void processThatDoesNotSearchReadsOnceAMinuteSoThatOldReportsAreRemoved() {
        Locks ours = world.locks();
        reachable.add(
                world.others().with(k("hot")).leaseFor(Duration.ofMinutes(10)).acquire());
        ours.with(k("hot")).waitAtMost(Duration.ofMinutes(5)).acquireAsync();
        world.advance(130_000);
        assertThat(world.wire.arguments(Op.EXCHANGE))
                .hasSizeGreaterThan(30)
                .filteredOn(exchange -> ((WaitReportExchange) exchange).read())
                .hasSize(3);
    }

    @Test
    void refusalOfWaitReportsByTheStoreIsLoggedOnce() {
        Logged logged = new Logged();
        try (logged) {
            for (int i = 0; i < 20; i++) {
                world.wire.next(
                        Op.EXCHANGE,
                        call -> CompletableFuture.failedFuture(StoreException.refused("permission denied")));
            }
            reachable.add(world.others().acquire(k("hot")));
            LockScope scope = world.locks().newScope("work");
            granted(writes(world.locks(), scope, "own"));
            writes(world.locks(), scope, "hot");
            world.advance(5_000);
        }
        assertThat(logged.messages())
                .filteredOn(message -> message.contains("Deadlocks with other processes are not found"))
                .hasSize(1)
                .first()
                .asString()
                .contains("permission denied");
    }

    @Test
    void processNameIncludesItsHost() {
        reachable.add(world.others().acquire(k("hot")));
        world.locks().with(k("hot")).waitAtMost(PATIENCE).acquireAsync();
        world.advance(1_500);
        assertThat(world.locks().waitForGraph().waits())
                .first()
                .extracting(WaitForGraph.Wait::process)
                .asString()
                .startsWith("ours (")
                .contains("/" + ProcessHandle.current().pid());
    }

    @Test
    void settersAfterOffTurnDetectionOnAgain() {
        assertThat(DeadlockDetection.off().isOn()).isFalse();
        assertThat(DeadlockDetection.off().isSearching()).isFalse();
        DeadlockDetection later = DeadlockDetection.off().after(ofSeconds(3));
        assertThat(later.isOn()).isTrue();
        assertThat(later.isSearching()).isTrue();
    }
}
