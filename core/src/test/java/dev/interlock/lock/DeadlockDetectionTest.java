package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isGranted;
import static dev.interlock.support.TwoProcesses.isPending;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.spi.StoreException;
import dev.interlock.support.Blocked;
import dev.interlock.support.ScriptedBackend;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Waits that last: what they cost, what is said about them, and how one of a cycle ends. */
class DeadlockDetectionTest {
    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");
    private static final Duration PATIENCE = ofSeconds(60);

    private final List<LockEvent.Refused> refused = new CopyOnWriteArrayList<>();
    private Interlock theirs;
    private TwoProcesses world = TwoProcesses.with(this::unordered);

    private Interlock.Builder unordered(Interlock.Builder builder) {
        return builder.orderPolicy(OrderPolicy.ALLOW).listener(event -> {
            if (event instanceof LockEvent.Refused no) {
                refused.add(no);
            }
        });
    }

    /** Of another process, without checks of the order as well. */
    private Locks others() {
        if (theirs == null) {
            theirs = unordered(Interlock.builder(world.memory).name("theirs").surroundings(world.clock))
                    .build();
        }
        return theirs.locks();
    }

    private Locks locks() {
        return world.locks();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private PendingLease<Lease> asks(Locks by, LockScope scope, LockKey key) {
        return by.with(key).in(scope).waitAtMost(PATIENCE).acquireAsync();
    }

    @Nested
    class WhatItCosts {
        @Test
        void nothingIsSaidAboutAWaitOfLessThanASecond() {
            Lease theirs = others().acquire(B);
            LockScope scope = locks().newScope("work");
            asks(locks(), scope, A);
            PendingLease<Lease> wait = asks(locks(), scope, B);
            world.advance(999);
            theirs.close();
            world.advance(5_000);
            assertThat(isGranted(wait)).isTrue();
            assertThat(world.wire.calls(Op.EXCHANGE)).isZero();
        }

        @Test
        void waitThatCannotLastThatLongIsNotWatched() {
            others().acquire(B);
            LockScope scope = locks().newScope("work");
            asks(locks(), scope, A);
            locks().with(B).in(scope).waitAtMost(ofSeconds(1)).acquireAsync();
            world.advance(5_000);
            assertThat(world.wire.calls(Op.EXCHANGE)).isZero();
        }

        @Test
        void waitOfAScopeThatHoldsNothingIsMentionedNowAndThen() {
            Lease theirs = others().acquire(B);
            locks().with(B).waitAtMost(PATIENCE).acquireAsync();
            world.advance(11_000);
            assertThat(world.wire.calls(Op.EXCHANGE)).isBetween(4, 7);
            assertThat(others().waitForGraph().waits()).hasSize(1);
            theirs.close();
            world.advance(3_000);
            assertThat(others().waitForGraph().waits()).isEmpty();
            int calls = world.wire.calls(Op.EXCHANGE);
            world.advance(60_000);
            assertThat(world.wire.calls(Op.EXCHANGE)).as("asleep again").isEqualTo(calls);
        }

        @Test
        void oneCallPerBeatHoweverManyWait() {
            for (int i = 0; i < 50; i++) {
                LockScope scope = locks().newScope("work");
                asks(locks(), scope, LockKey.of("own", "" + i));
                others().acquire(LockKey.of("their", "" + i));
                asks(locks(), scope, LockKey.of("their", "" + i));
            }
            world.advance(5_000);
            assertThat(world.wire.calls(Op.EXCHANGE)).isBetween(8, 12);
            assertThat(others().waitForGraph().waits()).hasSize(50);
        }

        @Test
        void forgettingAWaitThatIsOverIsNotTriedAgainAndDoesNotKeepTheCircuitOpen() {
            Lease theirs = others().acquire(B);
            PendingLease<Lease> wait =
                    locks().with(B).waitAtMost(ofMillis(1_500)).acquireAsync();
            world.advance(1_400);
            assertThat(world.wire.calls(Op.EXCHANGE)).isEqualTo(1);
            world.wire.down(() -> StoreException.notSent("connection refused", null));
            world.advance(200);
            assertThat(failure(wait)).isInstanceOf(InterlockException.class);
            world.advance(10_000);
            int calls = world.wire.calls(Op.EXCHANGE);
            world.advance(10_000);
            assertThat(world.wire.calls(Op.EXCHANGE)).isEqualTo(calls);
            world.wire.down(null);
            theirs.close();
            assertThat(locks().tryAcquire(LockKey.of("other"))).isPresent();
        }

        @Test
        void waitsThatBecomeLongOneByOneAreLookedAtTogether() {
            others().acquire(B);
            for (int i = 0; i < 200; i++) {
                locks().with(B).waitAtMost(ofSeconds(30)).acquireAsync();
                world.advance(1);
            }
            assertThat(world.wire.calls(Op.EXCHANGE)).isZero();
            world.advance(1_000);
            assertThat(world.wire.calls(Op.EXCHANGE)).isBetween(1, 10);
        }

        @Test
        void nothingIsSaidIfItIsOff() {
            world.close();
            world = TwoProcesses.with(builder -> unordered(builder).deadlockDetection(DeadlockDetection.off()));
            others().acquire(B);
            LockScope scope = locks().newScope("work");
            asks(locks(), scope, A);
            asks(locks(), scope, B);
            world.advance(30_000);
            assertThat(world.wire.calls(Op.EXCHANGE)).isZero();
        }
    }

    @Nested
    class WhenTwoWaitForEachOther {
        private final LockScope ours = locks().newScope("ours");
        private final LockScope theirs = locks().newScope("theirs");
        private final PendingLease<Lease> a = asks(locks(), ours, A);
        private final PendingLease<Lease> b = asks(locks(), theirs, B);
        private final PendingLease<Lease> first = asks(locks(), ours, B);

        private PendingLease<Lease> closeTheRing() {
            world.advance(10);
            return asks(locks(), theirs, A);
        }

        @Test
        void theLastOneIsToldWithinTwoSecondsAndTheOtherGoesOn() {
            PendingLease<Lease> last = closeTheRing();
            world.advance(999);
            assertThat(isPending(last)).isTrue();
            world.advance(801);
            assertThat(failure(last))
                    .isInstanceOf(DeadlockException.class)
                    .hasMessageContainingAll(
                            "Deadlock: \"a\"",
                            "ours #",
                            "theirs #",
                            "holds [b]",
                            "waited for \"a\"",
                            "Release what is held");
            assertThat(isPending(first)).isTrue();
            assertThat(refused).extracting(LockEvent.Refused::why).containsExactly(LockEvent.Refusal.DEADLOCK);
            b.toCompletableFuture().join().close();
            world.advance(10);
            assertThat(isGranted(first)).isTrue();
        }

        @Test
        void blockedThreadIsToldByAnException() {
            world.advance(10);
            Blocked<Lease> blocked = Blocked.in(
                    () -> theirs.call(() -> locks().with(A).waitAtMost(PATIENCE).acquire()));
            blocked.awaitBlocked();
            for (int i = 0; i < 50 && !blocked.isDone(); i++) {
                world.advance(100);
            }
            assertThat(blocked.failure()).isInstanceOf(DeadlockException.class);
        }

        @Test
        void tryWithPatienceIsToldTooSinceItIsNotJustBusy() {
            world.advance(10);
            Blocked<?> blocked =
                    Blocked.in(() -> theirs.call(() -> locks().with(A).tryAcquire(PATIENCE)));
            blocked.awaitBlocked();
            for (int i = 0; i < 50 && !blocked.isDone(); i++) {
                world.advance(100);
            }
            assertThat(blocked.failure()).isInstanceOf(DeadlockException.class);
        }

        @Test
        void storeThatDoesNotAnswerDelaysTheVerdictAndEndsNothing() {
            PendingLease<Lease> last = closeTheRing();
            world.wire.lose(Op.EXCHANGE, true);
            world.wire.lose(Op.EXCHANGE, false);
            world.advance(3_000);
            assertThat(isPending(first)).isTrue();
            world.advance(5_000);
            assertThat(failure(last)).isInstanceOf(DeadlockException.class);
            assertThat(isPending(first)).isTrue();
        }

        @Test
        void cycleThatIsSolvedInTimeHasNoVictim() {
            PendingLease<Lease> last = closeTheRing();
            world.advance(1_050);
            a.toCompletableFuture().join().close();
            world.advance(5_000);
            assertThat(isGranted(last)).isTrue();
            assertThat(isPending(first))
                    .as("waits for a holder that waits for nobody")
                    .isTrue();
        }
    }

    /** M06. The description arrives late: by then its wait is over, and it must not confirm what it describes. */
    @Test
    void descriptionThatArrivesLateConfirmsNothing() {
        LockScope ours = locks().newScope("ours");
        LockScope theirs = others().newScope("theirs");
        asks(locks(), ours, A);
        PendingLease<Lease> b = asks(others(), theirs, B);
        PendingLease<Lease> first = asks(locks(), ours, B);
        var held = world.wire.delay(Op.EXCHANGE, 1);
        world.advance(2_500);
        PendingLease<Lease> last = asks(others(), theirs, A);
        world.advance(1_200);
        first.cancel();
        held.go();
        world.advance(4_000);
        assertThat(isPending(last))
                .as("ours has stopped waiting, so there is no cycle")
                .isTrue();
        b.toCompletableFuture().join().close();
    }

    @Test
    void storeWithoutNotesStillFindsCyclesWithinTheProcess() {
        world.close();
        world = new TwoProcesses(ScriptedBackend::withoutNotes, this::unordered);
        LockScope one = locks().newScope("one");
        LockScope two = locks().newScope("two");
        asks(locks(), one, A);
        asks(locks(), two, B);
        PendingLease<Lease> first = asks(locks(), one, B);
        world.advance(10);
        PendingLease<Lease> last = asks(locks(), two, A);
        world.advance(2_000);
        assertThat(failure(last)).isInstanceOf(DeadlockException.class);
        assertThat(isPending(first)).isTrue();
        assertThat(locks().waitForGraph().waits()).hasSize(1);
        assertThat(world.wire.calls(Op.EXCHANGE)).isZero();
    }

    @Test
    void graphCannotBeReadWithoutTheStore() {
        world.wire.down(() -> StoreException.notSent("down", null));
        assertThatThrownBy(() -> locks().waitForGraph()).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void graphIsPrintedAsTextAndForDot() {
        LockScope ours = locks().newScope("billing \"eu\"");
        LockScope theirs = others().newScope("theirs");
        asks(locks(), ours, A);
        asks(others(), theirs, B);
        asks(locks(), ours, B);
        PendingLease<Lease> last = asks(others(), theirs, LockKey.of("c"));
        assertThat(isGranted(last)).isTrue();
        others().with(A).in(theirs).waitAtMost(ofMillis(1_300)).acquireAsync();
        world.advance(1_150);
        WaitForGraph graph = locks().waitForGraph();
        assertThat(graph.edges()).hasSize(2);
        assertThat(graph.takenAt()).isEqualTo(world.clock.wall());
        assertThat(graph.toString())
                .contains(
                        "2 waits at", "billing \"eu\" #1 of ours (", ") holds [a]", "waits for theirs #1 of theirs (");
        assertThat(graph.toDot())
                .startsWith("digraph waits {")
                .contains("billing \\\"eu\\\" #1\\nours (", ")\\nholds [a]", "[label=\"b\"]");
    }

    @Test
    void badSettingsAreRefused() {
        DeadlockDetection standard = DeadlockDetection.standard();
        assertThatThrownBy(() -> standard.after(ofMillis(99)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Deadlocks are looked for after PT0.099S: choose a duration between PT0.1S and PT1H");
        assertThatThrownBy(() -> standard.after(Duration.ofHours(2))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> standard.after(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Interlock.builder(world.memory).deadlockDetection(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("DeadlockDetection.off()");
        assertThat(standard.notSearching().withMonitor().after(ofSeconds(3)))
                .hasToString("DeadlockDetection[after PT3S, with monitor]");
    }
}
