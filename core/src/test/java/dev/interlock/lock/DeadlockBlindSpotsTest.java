package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isGranted;
import static dev.interlock.support.TwoProcesses.isPending;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitNotes;
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

/** Waits that would last for ever and were once not seen, and what is said when nothing can be seen. */
class DeadlockBlindSpotsTest {
    private static final Duration PATIENCE = ofSeconds(60);

    private final List<Interlock> more = new ArrayList<>();

    /** A lease that nobody keeps is given back. */
    private final List<Object> kept = new ArrayList<>();

    private TwoProcesses world = TwoProcesses.with(DeadlockBlindSpotsTest::unordered);

    private static Interlock.Builder unordered(Interlock.Builder builder) {
        return builder.orderPolicy(OrderPolicy.ALLOW);
    }

    private Locks process(String name) {
        Interlock made = unordered(Interlock.builder(world.memory).name(name).surroundings(world.clock))
                .build();
        more.add(made);
        return made.locks();
    }

    @AfterEach
    void close() {
        more.forEach(one -> one.shutdown(Duration.ZERO));
        world.close();
    }

    private <T> T got(CompletionStage<T> stage) {
        T result = TwoProcesses.result(stage);
        kept.add(result);
        return result;
    }

    private static LockKey k(String name) {
        return LockKey.of(name);
    }

    private static PendingLease<Lease> asks(Locks by, LockScope scope, String key) {
        return by.with(k(key)).in(scope).waitAtMost(PATIENCE).acquireAsync();
    }

    private static PendingLease<Lease> reads(Locks by, LockScope scope, String key) {
        return by.with(k(key)).shared().in(scope).waitAtMost(PATIENCE).acquireAsync();
    }

    private static boolean isVictim(PendingLease<?> wait) {
        return !isPending(wait) && !isGranted(wait) && failure(wait) instanceof DeadlockException;
    }

    /** A process that stands still for a second loses its place, and its reader queues again, behind a writer that came later. */
    @Test
    void readerWhosePlaceWasForgottenWaitsForTheWriterThatHasCome() {
        Locks ours = world.locks();
        Locks others = process("others");
        Locks third = process("third");
        LockScope r = ours.newScope("r");
        LockScope x = others.newScope("x");
        Lease first = third.acquire(k("k"));
        got(asks(ours, r, "j"));
        PendingLease<Lease> forgotten = reads(ours, r, "k");
        world.advance(10);
        PendingLease<Lease> reader = reads(others, x, "k");
        world.advance(10);
        for (int i = 0; i < 4; i++) {
            world.wire.lose(Op.KEEP_WAITING, false);
        }
        world.advance(100);
        Locks fourth = process("fourth");
        PendingLease<Lease> writer = asks(fourth, fourth.newScope("w"), "k");
        world.advance(5_000);
        first.close();
        world.advance(100);
        assertThat(isGranted(reader)).isTrue();
        assertThat(isPending(forgotten)).isTrue();
        PendingLease<Lease> last = asks(others, x, "j");
        world.advance(10_000);
        assertThat(List.of(forgotten, writer, last)).anyMatch(DeadlockBlindSpotsTest::isVictim);
    }

    @Test
    void storeThatAnswersSlowlyDelaysTheVerdictOnly() {
        Locks ours = world.locks();
        LockScope a = ours.newScope("a");
        LockScope b = ours.newScope("b");
        got(asks(ours, a, "a"));
        got(asks(ours, b, "b"));
        asks(ours, a, "b");
        world.advance(10);
        PendingLease<Lease> last = asks(ours, b, "a");
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
    void requestForWhatItsOwnScopeGotMeanwhileIsRefusedAfterAWhile() {
        Locks ours = world.locks();
        LockScope scope = ours.newScope("twice");
        var slow = world.wire.delay(Op.ATTEMPT, 1);
        PendingLease<Lease> first = asks(ours, scope, "x");
        PendingLease<Lease> second = asks(ours, scope, "x");
        slow.go();
        assertThat(isGranted(first)).isTrue();
        world.advance(2_000);
        assertThat(failure(second))
                .isInstanceOf(AlreadyHeldException.class)
                .hasMessageContaining("\"x\"")
                .hasMessageContaining("twice")
                .hasMessageContaining("at the same time");
        assertThat(got(first).isHeld()).isTrue();
    }

    @Test
    void graphOfAStoreWithoutNotesShowsEveryLongWaitAtAllTimes() {
        world.close();
        world = new TwoProcesses(ScriptedBackend::withoutNotes, DeadlockBlindSpotsTest::unordered);
        Locks ours = world.locks();
        kept.add(world.others().acquire(k("hot")));
        kept.add(world.others().acquire(k("hotter")));
        ours.with(k("hot")).waitAtMost(PATIENCE).acquireAsync();
        LockScope scope = ours.newScope("holds something");
        got(asks(ours, scope, "own"));
        asks(ours, scope, "hotter");
        world.advance(1_100);
        for (int i = 0; i < 30; i++) {
            world.advance(100);
            assertThat(ours.waitForGraph().waits()).hasSize(2);
        }
    }

    /** Those who hold nothing are on no cycle; a crowd of them would be the load when a lock is stuck. */
    @Test
    void ofACrowdThatHoldsNothingSomeAreDescribed() {
        Locks ours = world.locks();
        kept.add(world.others().acquire(k("hot")));
        for (int i = 0; i < 200; i++) {
            ours.with(k("hot")).waitAtMost(PATIENCE).acquireAsync();
        }
        LockScope scope = ours.newScope("holds something");
        got(asks(ours, scope, "own"));
        asks(ours, scope, "hot");
        world.advance(10_000);
        assertThat(ours.waitForGraph().waits())
                .hasSize(51)
                .anyMatch(wait -> !wait.held().isEmpty());
    }

    @Test
    void processThatSearchesForNothingReadsOnceAMinuteSoThatOldNotesAreRemoved() {
        Locks ours = world.locks();
        kept.add(world.others().with(k("hot")).leaseFor(Duration.ofMinutes(10)).acquire());
        ours.with(k("hot")).waitAtMost(Duration.ofMinutes(5)).acquireAsync();
        world.advance(130_000);
        assertThat(world.wire.arguments(Op.EXCHANGE))
                .hasSizeGreaterThan(30)
                .filteredOn(notes -> ((WaitNotes) notes).read())
                .hasSize(3);
    }

    @Test
    void detectionThatTheStoreRefusesSaysSoOnce() {
        Logged logged = new Logged();
        try (logged) {
            for (int i = 0; i < 20; i++) {
                world.wire.next(
                        Op.EXCHANGE,
                        call -> CompletableFuture.failedFuture(StoreException.refused("permission denied")));
            }
            kept.add(world.others().acquire(k("hot")));
            LockScope scope = world.locks().newScope("work");
            got(asks(world.locks(), scope, "own"));
            asks(world.locks(), scope, "hot");
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
    void processIsNamedWithItsHost() {
        kept.add(world.others().acquire(k("hot")));
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
    void whatIsSaidAfterOffTurnsItOnAgain() {
        assertThat(DeadlockDetection.off().isOn()).isFalse();
        assertThat(DeadlockDetection.off().isSearching()).isFalse();
        DeadlockDetection later = DeadlockDetection.off().after(ofSeconds(3));
        assertThat(later.isOn()).isTrue();
        assertThat(later.isSearching()).isTrue();
    }
}
