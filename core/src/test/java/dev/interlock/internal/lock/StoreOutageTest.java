package dev.interlock.internal.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.internal.runtime.CircuitBreaker;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreException;
import dev.interlock.support.ScriptedBackend;
import dev.interlock.support.ScriptedBackend.Held;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that does not answer is reported as unavailable, never as busy and never as free. */
class StoreOutageTest {
    private static final LockKey KEY = LockKey.of("k");

    private TwoProcesses world = new TwoProcesses();

    @AfterEach
    void close() {
        world.close();
    }

    private void refuseConnections() {
        world.wire.down(() -> StoreException.notSent("connection refused", null));
    }

    private PendingLease<Lease> ask(Duration patience) {
        return world.locks().with(KEY).waitAtMost(patience).acquireAsync();
    }

    @Nested
    class WhenConnectionsAreRefused {
        @Test
        void requestFailsAtOnce() {
            refuseConnections();

            assertThatThrownBy(() -> world.locks().acquire(KEY))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("\"k\"")
                    .hasMessageContaining("counts as taken")
                    .hasMessageContaining("connection refused");
            assertThatThrownBy(() -> world.locks().tryAcquire(KEY)).isInstanceOf(StoreUnavailableException.class);
        }

        @Test
        void circuitOpensAfterFiveFailuresAndClosesByItself() {
            refuseConnections();
            for (int i = 0; i < CircuitBreaker.FAILURES; i++) {
                assertThat(failure(ask(ofSeconds(1)))).isInstanceOf(StoreUnavailableException.class);
            }
            int calls = world.wire.calls(Op.ATTEMPT);
            world.wire.down(null);
            assertThat(failure(ask(ofSeconds(1))))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no new calls are sent for a moment");
            assertThat(world.wire.calls(Op.ATTEMPT)).isEqualTo(calls);

            world.advance(500);

            assertThat(result(ask(ofSeconds(1))).isHeld()).isTrue();
            assertThat(world.locks().tryAcquire(LockKey.of("other"))).isPresent();
        }

        @Test
        void renewalsPassWhileTheCircuitIsOpenAndCloseIt() {
            Lease lease = world.locks()
                    .with(LockKey.of("held"))
                    .leaseFor(ofMillis(900))
                    .acquire();
            refuseConnections();
            for (int i = 0; i < CircuitBreaker.FAILURES; i++) {
                assertThat(failure(ask(ofSeconds(1)))).isInstanceOf(StoreUnavailableException.class);
            }
            world.wire.down(null);

            world.advance(310);

            assertThat(lease.isHeld()).isTrue();
            assertThat(result(ask(ofSeconds(1))).isHeld()).isTrue();
        }
    }

    @Nested
    class WhenTheStoreDoesNotAnswer {
        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3, 4})
        void requestWithPatienceFailsAsUnavailableAndNotAsBusy(int pauseAfterReading) {
            Held silence = world.wire.delay(Op.ATTEMPT, 20);
            world.clock.afterReads(pauseAfterReading, () -> world.clock.advanceSilently(ofMillis(1)));
            PendingLease<Lease> asked = ask(ofSeconds(1));

            world.advance(1_002);

            assertThat(silence.size()).isEqualTo(1);
            assertThat(failure(asked)).isInstanceOf(StoreUnavailableException.class);
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3, 4})
        void requestWithoutPatienceWaitsForTheAnswerAndFailsAsUnavailable(int pauseAfterReading) {
            world.wire.delay(Op.ATTEMPT, 20);
            world.clock.afterReads(pauseAfterReading, () -> world.clock.advanceSilently(ofMillis(1)));
            PendingLease<Lease> asked = ask(ZERO);
            world.advance(1_900);
            assertThat(isPending(asked)).isTrue();

            world.advance(200);

            assertThat(failure(asked)).isInstanceOf(StoreUnavailableException.class);
        }

        @Test
        void waiterWhoseHeartbeatsAreNotAnsweredFailsAsUnavailable() {
            world.others().acquire(KEY);
            PendingLease<Lease> asked = ask(ofSeconds(5));
            world.wire.down(() -> StoreException.unknown("silence", null));

            world.advance(5_001);

            assertThat(failure(asked)).isInstanceOf(StoreUnavailableException.class);
        }

        @Test
        void waiterOfAStoreThatCameBackFailsAsBusy() {
            world.others().acquire(KEY);
            PendingLease<Lease> asked = ask(ofSeconds(5));
            world.wire.down(() -> StoreException.unknown("silence", null));
            world.advance(1_000);
            world.wire.down(null);

            world.advance(4_001);

            assertThat(failure(asked)).isInstanceOf(LockTimeoutException.class).hasMessageContaining("held by theirs");
        }
    }

    @Nested
    class WhenARequestCannotBeServed {
        @Test
        void leaseTooShortForTheStoresGranularityIsRefused() {
            world.close();
            world = new TwoProcesses(of -> withGranularity(of, ofSeconds(1)), same -> same);
            int calls = world.wire.calls(Op.ATTEMPT);

            assertThatThrownBy(
                            () -> world.locks().with(KEY).leaseFor(ofSeconds(1)).acquireAsync())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("too short for scripted")
                    .hasMessageContaining("take a longer lease");
            assertThat(world.wire.calls(Op.ATTEMPT)).isEqualTo(calls);
            assertThat(world.locks().with(KEY).leaseFor(ofSeconds(2)).acquire().isHeld())
                    .isTrue();
        }

        @Test
        void refusalOfTheStoreIsReportedWithItsReason() {
            world.wire.next(
                    Op.ATTEMPT,
                    call -> CompletableFuture.failedFuture(StoreException.refused("recovering until noon")));

            assertThatThrownBy(() -> world.locks().acquire(KEY))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("recovering until noon");
            assertThat(world.locks().tryAcquire(KEY)).isPresent();
        }

        private StoreCapabilities withGranularity(StoreCapabilities of, Duration granularity) {
            return of.toBuilder()
                    .lockDelay(false)
                    .granularity(granularity)
                    .introspection(false)
                    .forcedRelease(false)
                    .waitReports(false)
                    .build();
        }

        @Test
        void missingCapabilityIsRefusedWithoutACallToTheStore() {
            world.close();
            world = new TwoProcesses(of -> withGranularity(of, ZERO), same -> same);

            assertThatThrownBy(() ->
                            world.locks().with(KEY).lockDelay(ofSeconds(1)).acquire())
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("leave lockDelay out");
            assertThatThrownBy(() -> world.ours.operator().forceRelease(KEY)).isInstanceOf(LockRefusedException.class);
            assertThatThrownBy(() -> world.ours.operator().inspect(KEY)).isInstanceOf(LockRefusedException.class);
            assertThat(world.wire.calls(Op.ATTEMPT)).isZero();
        }
    }

    @Nested
    class WhenAnAnswerTakesLongerThanTheLease {
        @Test
        void lockIsNotReportedAsBusy() {
            world.close();
            world = TwoProcesses.with(options -> options.answerWithin(ofSeconds(20)));
            var late = world.wire.answerLate(Op.ATTEMPT);
            var asked = world.locks()
                    .with(KEY)
                    .waitAtMost(ZERO)
                    .leaseFor(ofSeconds(1))
                    .acquireAsync();
            world.advance(1_100);
            late.go();

            assertThat(failure(asked)).isInstanceOf(StoreUnavailableException.class);
            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }
    }

    @Nested
    class WhenAReleaseIsNotAnswered {
        @Test
        void resultIsUnknownAndTheReleaseIsRepeatedUntilItSucceeds() {
            world.close();
            world = TwoProcesses.with(options -> options.releaseWithin(ofMillis(1)));
            Lease lease = world.locks().acquire(KEY);
            world.wire.down(() -> StoreException.unknown("silence", null));

            assertThat(lease.release()).isEqualTo(ReleaseResult.UNKNOWN);
            assertThat(world.others().tryAcquire(KEY)).isEmpty();
            world.wire.down(null);
            world.advance(200);

            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void asynchronousReleaseCompletesWhenARepetitionSucceeds() {
            Lease lease = world.locks().acquire(KEY);
            world.wire.lose(Op.RELEASE, false);

            var released = lease.releaseAsync();
            assertThat(isPending(released)).isTrue();
            world.advance(200);

            assertThat(result(released)).isEqualTo(ReleaseResult.RELEASED);
        }

        @Test
        void releaseWhoseAnswerWasLostIsNotReportedAsLoss() {
            Lease lease = world.locks().acquire(KEY);
            world.wire.lose(Op.RELEASE, true);

            var released = lease.releaseAsync();
            world.advance(200);

            assertThat(result(released)).isEqualTo(ReleaseResult.UNKNOWN);
            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void releaseThatIsNeverAnsweredEndsAsUnknownWhenTheLeaseExpires() {
            Lease lease = world.locks().acquire(KEY);
            world.wire.down(() -> StoreException.unknown("silence", null));

            var released = lease.releaseAsync();
            world.advance(31_000);

            assertThat(result(released)).isEqualTo(ReleaseResult.UNKNOWN);
        }
    }

    @Nested
    class WhenTheStoreIsDownAtStart {
        @Test
        void locksAreRefusedUntilTheNamespaceIsJoined() {
            world.close();
            TwoProcesses fresh = new TwoProcesses();
            fresh.close();
            var wire = new ScriptedBackend(fresh.memory);
            wire.down(() -> StoreException.notSent("connection refused", null));
            try (var late = Interlock.builder(wire).environment(fresh.clock).build()) {
                assertThatThrownBy(() -> late.locks().acquire(KEY)).isInstanceOf(StoreUnavailableException.class);
                wire.down(null);
                assertThat(late.locks().acquire(KEY).isHeld()).isTrue();
            }
        }
    }
}
