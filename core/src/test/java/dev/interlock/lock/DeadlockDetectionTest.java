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

/** Long waits: what they cost, how they are reported, and how the victim of a cycle ends. */
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

    /** The locks of another process, which does not check the lock order either. */
    private Locks others() {
        if (theirs == null) {
            theirs = unordered(Interlock.builder(world.memory).name("theirs").environment(world.clock))
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

    private PendingLease<Lease> request(Locks by, LockScope scope, LockKey key) {
        return by.with(key).in(scope).waitAtMost(PATIENCE).acquireAsync();
    }

    @Nested
    class WhatItCosts {
        @Test
        void waitOfLessThanASecondIsNotReported() {
            Lease theirs = others().acquire(B);
            LockScope scope = locks().newScope("work");
            request(locks(), scope, A);
            PendingLease<Lease> wait = request(locks(), scope, B);
            world.advance(999);
            theirs.close();
            world.advance(5_000);
            assertThat(isGranted(wait)).isTrue();
            assertThat(world.wire.calls(Op.EXCHANGE)).isZero();
        }

        @Test
        void waitThatCannotLastThatLongIsNotReported() {
            others().acquire(B);
            LockScope scope = locks().newScope("work");
            request(locks(), scope, A);
            locks().with(B).in(scope).waitAtMost(ofSeconds(1)).acquireAsync();
            world.advance(5_000);
            assertThat(world.wire.calls(Op.EXCHANGE)).isZero();
        }

        @Test
        void waitOfAScopeThatHoldsNothingIsReportedLessOften() {
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
            assertThat(world.wire.calls(Op.EXCHANGE))
                    .as("calls after the last wait")
                    .isEqualTo(calls);
        }

        @Test
        void oneCallPerBeatForAnyNumberOfWaits() {
            for (int i = 0; i < 50; i++) {
                LockScope scope = locks().newScope("work");
                request(locks(), scope, LockKey.of("own", "" + i));
                others().acquire(LockKey.of("their", "" + i));
                request(locks(), scope, LockKey.of("their", "" + i));
            }
            world.advance(5_000);
            assertThat(world.wire.calls(Op.EXCHANGE)).isBetween(8, 12);
            assertThat(others().waitForGraph().waits()).hasSize(50);
        }

        @Test
        void failedRemovalOfAReportIsNotRepeatedAndDoesNotKeepTheCircuitOpen() {
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
        void waitsThatBecomeLongOneByOneAreReportedTogether() {
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
        void nothingIsReportedIfDetectionIsOff() {
            world.close();
            world = TwoProcesses.with(builder -> unordered(builder).deadlockDetection(DeadlockDetection.off()));
            others().acquire(B);
            LockScope scope = locks().newScope("work");
            request(locks(), scope, A);
            request(locks(), scope, B);
            world.advance(30_000);
            assertThat(world.wire.calls(Op.EXCHANGE)).isZero();
        }
    }

    @Nested
    class WhenTwoWaitForEachOther {
        private final LockScope ours = locks().newScope("ours");
        private final LockScope theirs = locks().newScope("theirs");
        private final PendingLease<Lease> a = request(locks(), ours, A);
        private final PendingLease<Lease> b = request(locks(), theirs, B);
        private final PendingLease<Lease> first = request(locks(), ours, B);

        private PendingLease<Lease> closeTheCycle() {
            world.advance(10);
            return request(locks(), theirs, A);
        }

        @Test
        void youngestWaitEndsWithinTwoSecondsAndTheOtherContinues() {
            PendingLease<Lease> last = closeTheCycle();
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
        void blockedThreadGetsAnException() {
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
        void tryWithPatienceThrowsTooSinceTheLockIsNotJustBusy() {
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
            PendingLease<Lease> last = closeTheCycle();
            world.wire.lose(Op.EXCHANGE, true);
            world.wire.lose(Op.EXCHANGE, false);
            world.advance(3_000);
            assertThat(isPending(first)).isTrue();
            world.advance(5_000);
            assertThat(failure(last)).isInstanceOf(DeadlockException.class);
            assertThat(isPending(first)).isTrue();
        }

        @Test
        void cycleThatEndsInTimeHasNoVictim() {
            PendingLease<Lease> last = closeTheCycle();
            world.advance(1_050);
            a.toCompletableFuture().join().close();
            world.advance(5_000);
            assertThat(isGranted(last)).isTrue();
            assertThat(isPending(first))
                    .as("waits for a holder that does not wait")
                    .isTrue();
        }
    }

    /** A report that arrives after its wait has ended must not confirm a cycle. */
    @Test
    void reportThatArrivesLateConfirmsNothing() {
        LockScope ours = locks().newScope("ours");
        LockScope theirs = others().newScope("theirs");
        request(locks(), ours, A);
        PendingLease<Lease> b = request(others(), theirs, B);
        PendingLease<Lease> first = request(locks(), ours, B);
        var held = world.wire.delay(Op.EXCHANGE, 1);
        world.advance(2_500);
        PendingLease<Lease> last = request(others(), theirs, A);
        world.advance(1_200);
        first.cancel();
        held.go();
        world.advance(4_000);
        assertThat(isPending(last))
                .as("ours no longer waits, so there is no cycle")
                .isTrue();
        b.toCompletableFuture().join().close();
    }

    @Test
    void cyclesWithinTheProcessAreFoundOnAStoreWithoutWaitReports() {
        world.close();
        world = new TwoProcesses(ScriptedBackend::withoutWaitReports, this::unordered);
        LockScope one = locks().newScope("one");
        LockScope two = locks().newScope("two");
        request(locks(), one, A);
        request(locks(), two, B);
        PendingLease<Lease> first = request(locks(), one, B);
        world.advance(10);
        PendingLease<Lease> last = request(locks(), two, A);
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
        request(locks(), ours, A);
        request(others(), theirs, B);
        request(locks(), ours, B);
        PendingLease<Lease> last = request(others(), theirs, LockKey.of("c"));
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
                .hasMessage("Deadlock detection starts after PT0.099S: choose a duration between PT0.1S and PT1H");
        assertThatThrownBy(() -> standard.after(Duration.ofHours(2))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> standard.after(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Interlock.builder(world.memory).deadlockDetection(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("DeadlockDetection.off()");
        assertThat(standard.notSearching().withMonitor().after(ofSeconds(3)))
                .hasToString("DeadlockDetection[after PT3S, with monitor]");
    }
}
