package dev.interlock.internal.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isGranted;
import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.PendingLease;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.support.ScriptedBackend.Held;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The hand-over of a lock from one holder of a process to the next: passes and provisional leases. */
class HandOffTest {
    private static final LockKey KEY = LockKey.of("k");

    private final TwoProcesses world = new TwoProcesses();

    @AfterEach
    void close() {
        world.close();
    }

    private PendingLease<Lease> ask() {
        return world.locks().with(KEY).waitAtMost(ofMinutes(1)).acquireAsync();
    }

    @Nested
    class WhenAHoldIsPassed {
        @Test
        void passUsesTheNextTokenOfTheSameGrantWithoutACallToTheStore() {
            Lease first = world.locks().acquire(KEY);
            PendingLease<Lease> next = ask();
            int attempts = world.wire.calls(Op.ATTEMPT);

            first.close();

            assertThat(result(next).token())
                    .isEqualTo(FencingToken.of(first.token().grant(), 1));
            assertThat(world.wire.calls(Op.RELEASE)).isZero();
            assertThat(world.wire.calls(Op.ATTEMPT)).isEqualTo(attempts);
        }

        @Test
        void closedSetOfOneKeyKeepsItsTokenAfterThePass() {
            LeaseSet set = world.locks().with(List.of(KEY)).acquire();
            FencingToken token = set.token(KEY);
            PendingLease<Lease> next = ask();

            set.close();

            assertThat(result(next).token().isNewerThan(token)).isTrue();
            assertThat(set.token(KEY)).isEqualTo(token);
            assertThat(set.of(KEY).token()).isEqualTo(token);
        }

        @Test
        void formerHolderDoesNotSeeThePassedLease() {
            Lease first = world.locks().acquire(KEY);
            PendingLease<Lease> next = ask();

            first.close();

            assertThat(first.isHeld()).isFalse();
            assertThat(first.remaining()).isZero();
            assertThat(result(next).isHeld()).isTrue();
            first.close();
            assertThat(result(next).isHeld()).isTrue();
        }

        @Test
        void holdWithTooLittleTimeLeftIsNotPassed() {
            Lease first = world.locks().with(KEY).leaseFor(ofSeconds(10)).acquire();
            PendingLease<Lease> longer = world.locks()
                    .with(KEY)
                    .renew(false)
                    .leaseFor(ofSeconds(60))
                    .waitAtMost(ofMinutes(1))
                    .acquireAsync();

            first.close();

            assertThat(world.wire.calls(Op.RELEASE)).isEqualTo(1);
            assertThat(result(longer).remaining()).isGreaterThan(ofSeconds(58));
        }

        @Test
        void afterTwentyMillisecondsOfPassesTheLockIsReleasedAtTheStore() {
            Lease first = world.locks().acquire(KEY);
            PendingLease<Lease> next = ask();
            PendingLease<Lease> theirs =
                    world.others().with(KEY).waitAtMost(ofMinutes(1)).acquireAsync();
            world.advance(20);

            first.close();

            assertThat(isGranted(theirs)).isTrue();
            assertThat(isPending(next)).isTrue();
        }

        @Test
        void afterSixtyFourPassesInARowTheLockIsReleasedAtTheStore() {
            Lease holder = world.locks().acquire(KEY);
            List<PendingLease<Lease>> line = new ArrayList<>();
            for (int i = 0; i < 65; i++) {
                line.add(ask());
            }
            for (int i = 0; i < 64; i++) {
                holder.close();
                holder = result(line.get(i));
                assertThat(holder.token().pass()).isEqualTo(i + 1);
            }
            long grant = holder.token().grant();

            holder.close();

            assertThat(result(line.get(64)).token().grant()).isGreaterThan(grant);
            assertThat(result(line.get(64)).token().pass()).isZero();
        }

        @Test
        void holdIsNotPassedToARequestWithAnotherLockDelay() {
            Lease first = world.locks().acquire(KEY);
            PendingLease<Lease> delayed = world.locks()
                    .with(KEY)
                    .lockDelay(ofSeconds(1))
                    .waitAtMost(ofMinutes(1))
                    .acquireAsync();

            first.close();

            assertThat(result(delayed).token().pass()).isZero();
            assertThat(world.wire.calls(Op.RELEASE)).isEqualTo(1);
        }

        @Test
        void sharedWaiterGetsItsOwnGrant() {
            Lease first = world.locks().acquire(KEY);
            PendingLease<Lease> shared =
                    world.locks().with(KEY).shared().waitAtMost(ofMinutes(1)).acquireAsync();
            PendingLease<Lease> alsoShared =
                    world.locks().with(KEY).shared().waitAtMost(ofMinutes(1)).acquireAsync();

            first.close();

            assertThat(result(shared).isHeld()).isTrue();
            assertThat(result(alsoShared).isHeld()).isTrue();
            assertThat(result(alsoShared).token()).isNotEqualTo(result(shared).token());
        }
    }

    @Nested
    class WhenAGrantIsNotConfirmed {
        @Test
        void unconfirmedGrantOfACancelledRequestIsReturnedToTheStore() {
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> first = world.locks()
                    .with(KEY)
                    .leaseFor(ofSeconds(1))
                    .waitAtMost(ofSeconds(20))
                    .acquireAsync();
            PendingLease<Lease> second = world.locks()
                    .with(KEY)
                    .leaseFor(ofSeconds(1))
                    .waitAtMost(ofSeconds(20))
                    .acquireAsync();
            world.wire.holdPushes();
            for (int i = 0; i < 9; i++) {
                world.wire.lose(Op.KEEP_WAITING, false);
            }
            theirs.close();
            world.advance(900); // of the provisional lease of one second
            world.wire.next(Op.RENEW, call -> {
                first.cancel();
                return CompletableFuture.failedFuture(StoreException.notSent("down", null));
            });

            world.wire.deliverPushes();

            assertThat(failure(first)).isInstanceOf(CancellationException.class);
            world.advance(101);
            Optional<Lease> tried = world.others().tryAcquire(KEY);
            assertThat(tried.isPresent() && isGranted(second) && result(second).isHeld())
                    .as("held by two processes")
                    .isFalse();
        }
    }

    /** A lease that is renewed anyway is delivered before its first renewal is answered, see ADR 0005. */
    @Nested
    class WhenAProvisionalLeaseIsCertain {
        private final Lease theirs = world.others().acquire(KEY);

        @Test
        void leaseIsDeliveredBeforeItIsExtended() {
            PendingLease<Lease> ours = ask();
            Held extension = world.wire.answerLate(Op.RENEW);

            theirs.close();

            assertThat(result(ours).remaining()).isBetween(ofMillis(900), ofMillis(1000));
            world.advance(5);
            extension.go();
            assertThat(result(ours).remaining()).isGreaterThan(ofSeconds(29));
        }

        /** The usual renewal once renewed it as well, since the provisional lease is shorter than the renewal grid. */
        @Test
        void leaseIsExtendedOnce() {
            PendingLease<Lease> next = ask();
            Held extension = world.wire.answerLate(Op.RENEW);

            theirs.close();
            world.advance(50);

            assertThat(result(next).isHeld()).isTrue();
            assertThat(world.wire.calls(Op.RENEW)).isEqualTo(1);
            extension.go();
            assertThat(result(next).remaining()).isGreaterThan(ofSeconds(20));
        }

        @Test
        void leaseThatIsReleasedSoonIsNotExtended() {
            PendingLease<Lease> next = ask();

            theirs.close();
            world.advance(1);
            result(next).close();
            world.advance(100);

            assertThat(world.wire.calls(Op.RENEW)).isZero();
        }

        @Test
        void lateGrantCountsFromTheLastHeartbeatThatWasAnsweredWaiting() {
            PendingLease<Lease> ours = ask();
            Held extension = world.wire.answerLate(Op.RENEW);
            world.advance(410); // one heartbeat
            world.wire.holdPushes();
            world.wire.lose(Op.KEEP_WAITING, false);
            theirs.close();
            world.advance(300);

            world.wire.deliverPushes();

            assertThat(result(ours).remaining()).isBetween(ofMillis(600), ofMillis(690));
            world.advance(5);
            extension.go();
            assertThat(result(ours).remaining()).isGreaterThan(ofSeconds(29));
        }

        @Test
        void heartbeatThatTheStoreCouldNotRecordIsRepeated() {
            PendingLease<Lease> ours = ask();
            Held extension = world.wire.answerLate(Op.RENEW);
            world.wire.next(
                    Op.KEEP_WAITING,
                    call -> CompletableFuture.completedFuture(List.of(new WaitAnswer.NotNow(ofMillis(50)))));
            world.advance(410);

            theirs.close();

            assertThat(result(ours).remaining()).isBetween(ofMillis(500), ofMillis(590));
            world.advance(5);
            extension.go();
            assertThat(result(ours).remaining()).isGreaterThan(ofSeconds(29));
        }

        @Test
        void waiterWhoseHeartbeatWasNotRecordedRetriesSoon() {
            PendingLease<Lease> ours = ask();
            world.wire.next(
                    Op.KEEP_WAITING,
                    call -> CompletableFuture.completedFuture(List.of(new WaitAnswer.NotNow(ofMillis(50)))));
            world.advance(410);
            int before = world.wire.calls(Op.KEEP_WAITING);
            world.advance(60);

            assertThat(world.wire.calls(Op.KEEP_WAITING)).isEqualTo(before + 1);
            theirs.close();
            assertThat(result(ours).isHeld()).isTrue();
        }

        @Test
        void lostExtensionIsRepeatedInTime() {
            PendingLease<Lease> ours = ask();
            for (int i = 0; i < 3; i++) {
                world.wire.lose(Op.RENEW, false);
            }

            theirs.close();

            world.advance(900);
            assertThat(result(ours).isHeld()).isTrue();
            assertThat(result(ours).remaining()).isGreaterThan(ofSeconds(25));
        }

        @Test
        void grantThatIsGoneAtItsExtensionIsReportedAsLost() {
            PendingLease<Lease> ours = ask();
            Held extension = world.wire.delay(Op.RENEW, 1);
            theirs.close();
            List<LossReason> losses = new ArrayList<>();
            result(ours).onLost(losses::add);
            world.theirs.operator().forceRelease(KEY);

            world.advance(5);
            extension.go();

            assertThat(losses).containsExactly(LossReason.FORCED);
            assertThat(result(ours).isHeld()).isFalse();
        }

        @Test
        void leaseWhoseExtensionIsNeverAnsweredIsLostAtItsDeadline() {
            PendingLease<Lease> ours = ask();
            for (int i = 0; i < 50; i++) {
                world.wire.lose(Op.RENEW, false);
            }
            theirs.close();
            List<LossReason> losses = new ArrayList<>();
            result(ours).onLost(losses::add);

            world.advance(990);

            assertThat(losses).containsExactly(LossReason.STORE_UNREACHABLE);
        }
    }

    @Nested
    class WhenAProvisionalLeaseIsNotCertain {
        private final Lease theirs = world.others().acquire(KEY);

        private void assertDeliveredOnlyAfterConfirmation(PendingLease<Lease> ours, Runnable handOver) {
            Held confirmation = world.wire.answerLate(Op.RENEW);
            handOver.run();
            assertThat(isPending(ours)).isTrue();

            confirmation.go();

            assertThat(result(ours).remaining()).isGreaterThan(ofSeconds(29));
        }

        @Test
        void fixedLeaseHasItsFullLength() {
            PendingLease<Lease> fixed = world.locks()
                    .with(KEY)
                    .renew(false)
                    .waitAtMost(ofMinutes(1))
                    .acquireAsync();
            assertDeliveredOnlyAfterConfirmation(fixed, theirs::close);
        }

        @Test
        void leaseWithLocalWaitersCanBePassedAtOnce() {
            PendingLease<Lease> ours = ask();
            PendingLease<Lease> next = ask();
            assertDeliveredOnlyAfterConfirmation(ours, theirs::close);
            int renewals = world.wire.calls(Op.RENEW);
            result(ours).close();
            assertThat(result(next).isHeld()).isTrue();
            assertThat(world.wire.calls(Op.RENEW)).isEqualTo(renewals);
        }

        @Test
        void latePushIsConfirmedFirst() {
            PendingLease<Lease> ours = ask();
            world.wire.holdPushes();
            world.wire.lose(Op.KEEP_WAITING, false);
            theirs.close();
            world.advance(700);
            assertDeliveredOnlyAfterConfirmation(ours, world.wire::deliverPushes);
        }

        @Test
        void pushToARepeatedAttemptIsConfirmedFirst() {
            world.wire.lose(Op.ATTEMPT, true);
            PendingLease<Lease> ours = ask();
            world.advance(100);
            assertDeliveredOnlyAfterConfirmation(ours, theirs::close);
        }
    }
}
