package dev.interlock.internal.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isGranted;
import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.support.ScriptedBackend.Held;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Pushes, late answers and lost answers that cross on the network: every grant is used once or returned. */
class CrossedAnswersTest {
    private static final LockKey KEY = LockKey.of("k");
    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");

    private TwoProcesses world = new TwoProcesses();

    @AfterEach
    void close() {
        world.close();
    }

    private void useAPolledStore() {
        world.close();
        world = TwoProcesses.polling();
    }

    private PendingLease<Lease> ask(LockKey key) {
        return world.locks().with(key).waitAtMost(ofMinutes(1)).acquireAsync();
    }

    @Nested
    class WhenAPushIsStale {
        @Test
        void pushForAnEarlierKeyIsNotUsedForALaterKey() {
            Lease theirA = world.others().acquire(A);
            Lease theirB = world.others().acquire(B);
            PendingLease<LeaseSet> both =
                    world.locks().with(List.of(A, B)).waitAtMost(ofMinutes(1)).acquireAsync();
            world.wire.holdPushes();
            theirA.close();
            Held attemptForB = world.wire.answerLate(Op.ATTEMPT);
            world.advance(500);
            assertThat(world.wire.heldPushes()).isEqualTo(1);
            assertThat(attemptForB.size()).isEqualTo(1);

            world.wire.deliverPushes();
            attemptForB.go();

            assertThat(isPending(both)).isTrue();
            assertThat(theirB.isHeld()).isTrue();
            theirB.close();
            assertThat(result(both).isHeld()).isTrue();
        }

        @Test
        void duplicatePushIsIgnored() {
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> ours = ask(KEY);
            PendingLease<Lease> next = ask(KEY);
            world.wire.holdPushes();
            theirs.close();
            world.advance(500);
            Lease lease = result(ours);

            world.wire.deliverPushes();

            assertThat(lease.isHeld()).isTrue();
            assertThat(isPending(next)).isTrue();
        }

        @Test
        void pushOfAnExpiredGrantIsNotDelivered() {
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
            world.advance(1_001);
            Optional<Lease> again = world.others().tryAcquire(KEY);
            assertThat(again).isPresent();

            world.wire.deliverPushes();

            assertThat(isGranted(first)).isFalse();
            assertThat(isGranted(second)).isFalse();
            assertThat(again.get().isHeld()).isTrue();
        }

        @Test
        void pushThatOvertakesItsAnswerIsDeliveredAfterTheAnswer() {
            Lease theirs = world.others().acquire(KEY);
            Held queued = world.wire.answerLate(Op.ATTEMPT);
            PendingLease<Lease> ours = ask(KEY);
            theirs.close();
            assertThat(isPending(ours)).isTrue();

            queued.go();

            assertThat(result(ours).isHeld()).isTrue();
        }
    }

    @Nested
    class WhenAnAnswerIsLate {
        @Test
        void cleanUpAfterALateAnswerDoesNotReleaseTheGrantOfTheRetry() {
            Held first = world.wire.answerLate(Op.ATTEMPT);
            Held retry = world.wire.answerLate(Op.ATTEMPT);
            PendingLease<Lease> cancelled = ask(KEY);
            PendingLease<Lease> next = ask(KEY);
            world.advance(2_100);
            assertThat(retry.size()).isEqualTo(1);
            cancelled.cancel();
            Held releases = world.wire.delay(Op.RELEASE, 3);

            first.go();
            retry.go();
            releases.go();
            world.advance(3_000);

            Lease lease = result(next);
            assertThat(lease.isHeld()).isTrue();
            assertThat(world.others().tryAcquire(KEY)).isEmpty();
        }

        @Test
        void lateAnswerDoesNotReleaseTheLeaseOfTheWaiterThatTookOverThePlace() {
            Lease theirs = world.others().acquire(KEY);
            Held slow = world.wire.delay(Op.ATTEMPT, 1);
            PendingLease<Lease> first = ask(KEY);
            PendingLease<Lease> successor = ask(KEY);
            world.advance(2_100); // the first attempt counts as lost, the second one queues
            first.cancel();
            theirs.close();
            Lease lease = result(successor);

            slow.go(); // carried out only now: the store answers with the grant that this id has
            world.advance(5_000);

            assertThat(lease.isHeld()).isTrue();
            assertThat(world.others().tryAcquire(KEY)).isEmpty();
        }

        @Test
        void lateAnswerDoesNotReturnAGrantWhosePushIsStillOnItsWay() {
            Lease theirs = world.others().acquire(KEY);
            Held slow = world.wire.delay(Op.ATTEMPT, 1);
            PendingLease<Lease> first = ask(KEY);
            PendingLease<Lease> successor = ask(KEY);
            world.advance(2_100);
            first.cancel();
            world.wire.holdPushes();
            theirs.close();

            slow.go();
            world.wire.deliverPushes();

            assertThat(result(successor).isHeld()).isTrue();
            assertThat(world.others().tryAcquire(KEY)).isEmpty();
        }

        @Test
        void grantOfAnAttemptThatArrivesAfterItsCallerGaveUpIsReturned() {
            useAPolledStore();
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> ours =
                    world.locks().with(KEY).waitAtMost(ofSeconds(3)).acquireAsync();
            Held slow = world.wire.delay(Op.ATTEMPT, 1);
            world.advance(100);
            assertThat(slow.size()).isEqualTo(1);
            for (int i = 0; i < 9; i++) {
                world.wire.lose(Op.ATTEMPT, false);
            }
            world.advance(4_000);
            assertThat(failure(ours)).isInstanceOf(StoreUnavailableException.class);
            theirs.close();

            slow.go();
            world.advance(200);

            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void grantThatCrossesACancelIsReturned() {
            Held answer = world.wire.answerLate(Op.ATTEMPT);
            PendingLease<Lease> ours = ask(KEY);
            ours.cancel();

            answer.go();

            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void grantOfACancelledRequestWithALostAnswerIsReturned() {
            world.wire.next(Op.ATTEMPT, call -> {
                var unused = call.get();
                return new CompletableFuture<>();
            });
            PendingLease<Lease> ours = ask(KEY);
            ours.cancel();
            assertThat(world.others().tryAcquire(KEY)).isEmpty();

            world.advance(3_000);

            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }
    }
}
