package dev.interlock.internal.lock;

import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.PendingLease;
import dev.interlock.spi.StoreException;
import dev.interlock.support.ScriptedBackend.Held;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A holder is notified of a loss by its deadline, once, and never has the lease again. */
class LossTest {
    private static final LockKey KEY = LockKey.of("k");
    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");

    private TwoProcesses world = new TwoProcesses();
    private final List<LossReason> losses = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    private Lease acquire() {
        Lease lease = world.locks().with(KEY).leaseFor(ofSeconds(3)).acquire();
        lease.onLost(losses::add);
        return lease;
    }

    private void silence() {
        world.wire.down(() -> StoreException.unknown("silence", null));
    }

    @Nested
    class WhenTheStoreStopsAnswering {
        @Test
        void heldLeaseSurvivesAShortOutage() {
            Lease lease = acquire();
            silence();
            world.advance(2_000);
            assertThat(lease.isHeld()).isTrue();
            world.wire.down(null);

            world.advance(60_000);

            assertThat(lease.isHeld()).isTrue();
            assertThat(losses).isEmpty();
        }

        @Test
        void holderIsNotifiedByItsDeadline() {
            Lease lease = acquire();
            silence();

            world.advance(2_967); // one percent and two milliseconds before the end of the lease in the store
            assertThat(losses).isEmpty();
            world.advance(1);

            assertThat(losses).containsExactly(LossReason.STORE_UNREACHABLE);
            assertThat(lease.isHeld()).isFalse();
            assertThatThrownBy(lease::ensureHeld)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("the store did not answer until the deadline");
        }

        @Test
        void renewalIsRepeatedUntilTheDeadline() {
            acquire();
            silence();
            int before = world.wire.calls(Op.RENEW);

            world.advance(2_900);

            assertThat(world.wire.calls(Op.RENEW) - before).isGreaterThan(5);
        }

        @Test
        void nothingIsRenewedAfterTheLoss() {
            Lease lease = acquire();
            silence();
            world.advance(3_000);
            int before = world.wire.calls(Op.RENEW);
            world.wire.down(null);

            world.advance(60_000);

            assertThat(world.wire.calls(Op.RENEW)).isEqualTo(before);
            assertThat(losses).hasSize(1);
            assertThat(lease.isHeld()).isFalse(); // also keeps the lease reachable: a collected lease gets no callback
        }

        @Test
        void nothingIsRenewedAfterClose() {
            Lease lease = acquire();
            lease.close();
            int before = world.wire.calls(Op.RENEW);

            world.advance(60_000);

            assertThat(world.wire.calls(Op.RENEW)).isEqualTo(before);
            assertThat(losses).isEmpty();
        }
    }

    @Nested
    class WhenARenewalIsLate {
        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3, 4, 5, 6})
        void lostLeaseIsNeverHeldAgain(int reading) {
            Lease lease = acquire();
            Held renewal = world.wire.answerLate(Op.RENEW);
            Held silence = world.wire.delay(Op.RENEW, 40);
            world.advance(2_900);
            assertThat(silence.size()).isPositive();
            AtomicBoolean seenLost = new AtomicBoolean();
            world.clock.afterReads(reading, () -> {
                world.clock.advanceSilently(ofMillis(100));
                seenLost.set(!lease.isHeld());
            });

            renewal.go();
            boolean heldAfterwards = lease.isHeld();

            assertThat(seenLost.get() && heldAfterwards).isFalse();
        }

        /** The deadline has passed, but the answer of the store is faster than the deadline thread. */
        @ParameterizedTest
        @CsvSource({"true, 5, HELD_TOO_LONG", "false, 5, HELD_TOO_LONG", "true, 60, EXPIRED", "false, 60, EXPIRED"})
        void lossIsReportedAsHeldTooLongOnlyNearTheMaximumHold(boolean carriedOut, int maximum, LossReason expected) {
            Lease lease = world.locks()
                    .with(LockKey.of("maximum"))
                    .leaseFor(ofSeconds(3))
                    .holdAtMost(ofSeconds(maximum))
                    .acquire();
            world.advance(1_500);
            Held renewal = carriedOut ? world.wire.answerLate(Op.RENEW) : world.wire.delay(Op.RENEW, 1);
            world.wire.delay(Op.RENEW, 40);
            world.advance(1_500);
            assertThat(renewal.size()).isEqualTo(1);
            world.clock.advanceSilently(ofSeconds(3));

            renewal.go();

            assertThat(result(lease.lost())).isEqualTo(expected);
        }

        @Test
        void answerAfterTheDeadlineDoesNotReviveTheLease() {
            Lease lease = acquire();
            Held renewal = world.wire.answerLate(Op.RENEW);
            world.wire.delay(Op.RENEW, 40);
            world.advance(2_900);
            world.clock.advanceSilently(ofMillis(100));

            renewal.go();

            assertThat(lease.isHeld()).isFalse();
            world.advance(1);
            assertThat(losses).hasSize(1);
        }

        @Test
        void renewalOfAPrefixDoesNotExtendTheSet() {
            world.close();
            world = TwoProcesses.polling();
            Lease theirB = world.others().acquire(B);
            PendingLease<LeaseSet> both = world.locks()
                    .with(List.of(A, B))
                    .waitAtMost(ofSeconds(30))
                    .leaseFor(ofSeconds(3))
                    .acquireAsync();
            Held attempt = world.wire.answerLate(Op.ATTEMPT);
            Held renewalOfA = world.wire.answerLate(Op.RENEW);
            theirB.close();
            world.advance(70);
            assertThat(attempt.size()).isEqualTo(1);
            long granted = world.clock.nanos();
            while (renewalOfA.size() == 0) {
                world.advance(10);
            }
            attempt.go();
            renewalOfA.go();

            long sinceGrant = world.clock.nanos() - granted;
            assertThat(result(both).remaining().toNanos())
                    .isLessThanOrEqualTo(ofSeconds(3).toNanos() - sinceGrant);
        }
    }

    @Nested
    class WhenTheLossOccursBetweenGrantAndDelivery {
        @Test
        void holderIsNotified() {
            world.clock.onNextWake(() -> world.wire.listener().sessionLost(LossReason.SESSION_LOST));

            Lease lease = acquire();

            assertThat(lease.isHeld()).isFalse();
            assertThat(losses).containsExactly(LossReason.SESSION_LOST);
            assertThat(result(lease.lost())).isEqualTo(LossReason.SESSION_LOST);
            assertThat(world.locks().currentScope().held()).isEmpty();
        }

        @Test
        void lossOfAHoldDuringAPassIsReported() {
            Lease first = acquire();
            PendingLease<Lease> next = world.locks()
                    .with(KEY)
                    .leaseFor(ofMillis(600))
                    .waitAtMost(ofMinutes(1))
                    .acquireAsync();
            world.clock.onNextWake(() -> world.wire.listener().sessionLost(LossReason.SESSION_LOST));
            first.close();

            Lease lease = result(next);
            lease.onLost(losses::add);
            assertThat(lease.isHeld()).isFalse();
            assertThat(losses).containsExactly(LossReason.SESSION_LOST);
        }
    }

    @Nested
    class WhenTheLeaseIsEndedFromOutside {
        @Test
        void forcedReleaseIsReportedAtTheNextRenewal() {
            Lease lease = acquire();
            assertThat(world.theirs.operator().forceRelease(KEY)).isEqualTo(1);

            world.advance(1_100);

            assertThat(losses).containsExactly(LossReason.FORCED);
            assertThat(world.others().tryAcquire(KEY).orElseThrow().token()).isGreaterThan(lease.token());
        }

        @Test
        void lostSessionIsReportedToEveryHolder() {
            Lease lease = acquire();
            LeaseSet set = world.locks()
                    .with(List.of(LockKey.of("x"), LockKey.of("y")))
                    .acquire();
            set.onLost(losses::add);

            world.wire.listener().sessionLost(LossReason.SESSION_LOST);

            assertThat(losses).containsExactly(LossReason.SESSION_LOST, LossReason.SESSION_LOST);
            assertThat(lease.isHeld()).isFalse();
            assertThat(set.isHeld()).isFalse();
        }

        @Test
        void suspendPastTheDeadlineIsReportedAsSuspended() {
            Lease lease = acquire();
            world.clock.suspend(ofSeconds(10));
            assertThat(lease.isHeld()).isTrue(); // the suspend is not noticed yet

            assertThatThrownBy(lease::ensureHeld)
                    .isInstanceOfSatisfying(
                            LeaseLostException.class,
                            lost -> assertThat(lost.reason()).isEqualTo(LossReason.SUSPENDED));
            world.advance(1);
            assertThat(losses).containsExactly(LossReason.SUSPENDED);
        }

        @Test
        void shortSuspendShortensTheLeaseByItsLength() {
            Lease lease = acquire();
            world.clock.suspend(ofSeconds(1));
            lease.ensureHeld();
            assertThat(lease.remaining()).isLessThan(ofSeconds(2));

            world.advance(60_000);

            assertThat(lease.isHeld()).isTrue();
        }
    }
}
