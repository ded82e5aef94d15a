package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.spi.StoreException;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What a lease promises while it is held, how its loss is reported, and how it ends. */
class LeaseTest {
    private static final LockKey KEY = LockKey.of("k");

    private final TwoProcesses world = new TwoProcesses();
    private final Locks locks = world.locks();
    private final List<LossReason> reported = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    private void lose() {
        world.wire.listener().sessionLost(LossReason.SESSION_LOST);
    }

    @Nested
    class WhenItIsRenewed {
        @Test
        void renewalContinuesUntilTheLeaseIsClosed() {
            Lease lease = locks.acquire(KEY);

            world.clock.advance(ofHours(1));

            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.remaining()).isGreaterThan(ofSeconds(19));
            assertThat(world.wire.calls(Op.RENEW)).isBetween(350, 420);
        }

        @Test
        void renewEverySetsTheInterval() {
            locks.with(KEY).leaseFor(ofSeconds(10)).renewEvery(ofSeconds(1)).acquire();

            world.advance(60_000);

            assertThat(world.wire.calls(Op.RENEW)).isBetween(58, 72);
        }

        @Test
        void oneCallRenewsHundredsOfLeases() {
            for (int i = 0; i < 300; i++) {
                assertThat(locks.tryAcquire(LockKey.of("many", "" + i))).isPresent();
            }

            world.advance(11_000);

            assertThat(world.wire.calls(Op.RENEW)).isLessThanOrEqualTo(2);
        }

        @Test
        void explicitRenewalLastsAtLeastTheRequestedTime() {
            Lease lease = locks.acquire(KEY);

            assertThat(lease.renew(ofSeconds(300))).isBetween(ofSeconds(296), ofSeconds(300));

            world.wire.down(() -> StoreException.unknown("silence", null));
            world.advance(250_000);
            assertThat(lease.isHeld()).isTrue();
        }

        @Test
        void unansweredRenewalSaysThatTheLeaseContinues() {
            Lease lease = locks.acquire(KEY);
            world.wire.down(() -> StoreException.notSent("down", null));

            assertThatThrownBy(() -> lease.renew(ofSeconds(60)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("goes on until its old deadline");
            assertThat(lease.isHeld()).isTrue();
        }

        @Test
        void renewalOfALostLeaseThrows() {
            Lease lease = locks.acquire(KEY);
            world.theirs.operator().forceRelease(KEY);

            assertThatThrownBy(() -> lease.renew(ofSeconds(60)))
                    .isInstanceOfSatisfying(LeaseLostException.class, lost -> {
                        assertThat(lost.reason()).isEqualTo(LossReason.FORCED);
                        assertThat(lost.key()).isEqualTo(KEY);
                        assertThat(lost.token()).isEqualTo(lease.token());
                        assertThat(lost.owner()).isEqualTo(lease.owner());
                    })
                    .hasMessageContaining("released by force");
            assertThat(lease.isHeld()).isFalse();
        }

        @Test
        void renewalForAnExcessiveTimeIsRefused() {
            Lease lease = locks.acquire(KEY);

            assertThatThrownBy(() -> lease.renew(ofMillis(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("choose a duration between");
            assertThatThrownBy(() -> lease.renew(ofDays(2))).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> lease.renew(null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("atLeast is null");
        }
    }

    @Nested
    class WhenItsTimeIsLimited {
        @Test
        void leaseWithoutRenewalEndsAtItsDeadline() {
            Lease lease = locks.with(KEY).renew(false).leaseFor(ofSeconds(10)).acquire();
            lease.onLost(reported::add);
            world.advance(9_890);
            assertThat(lease.isHeld()).isTrue();

            world.advance(10);

            assertThat(reported).containsExactly(LossReason.EXPIRED);
            assertThat(world.wire.calls(Op.RENEW)).isZero();
        }

        @Test
        void maximumHoldTimeEndsRenewal() {
            Lease lease = locks.with(KEY)
                    .leaseFor(ofSeconds(3))
                    .holdAtMost(ofSeconds(10))
                    .acquire();
            lease.onLost(reported::add);
            world.advance(9_900);
            assertThat(lease.isHeld()).isTrue();

            world.advance(100);

            assertThat(reported).containsExactly(LossReason.HELD_TOO_LONG);
            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void lockDelayKeepsTheLockClosedOnlyAfterALoss() {
            Lease released = locks.with(KEY).lockDelay(ofSeconds(10)).acquire();
            released.close();
            Lease lost = world.others()
                    .with(KEY)
                    .lockDelay(ofSeconds(10))
                    .renew(false)
                    .leaseFor(ofSeconds(5))
                    .acquire();
            world.advance(5_001);
            assertThat(lost.isHeld()).isFalse();
            assertThat(locks.tryAcquire(KEY)).isEmpty();
            world.advance(9_998);
            assertThat(locks.tryAcquire(KEY)).isEmpty();

            world.advance(1);

            assertThat(locks.tryAcquire(KEY)).isPresent();
        }
    }

    @Nested
    class WhenItIsLost {
        private final Lease lease = locks.acquire(KEY);

        @Test
        void everyCallbackRunsOnce() {
            lease.onLost(reported::add);
            lease.onLost(reason -> {
                throw new IllegalStateException("a callback that fails");
            });
            lease.onLost(reported::add);
            var future = lease.lost();
            assertThat(isPending(future)).isTrue();

            lose();
            lose();

            assertThat(reported).containsExactly(LossReason.SESSION_LOST, LossReason.SESSION_LOST);
            assertThat(result(future)).isEqualTo(LossReason.SESSION_LOST);
        }

        @Test
        void callbackRegisteredAfterTheLossRunsToo() {
            lose();

            lease.onLost(reported::add);

            assertThat(reported).containsExactly(LossReason.SESSION_LOST);
            assertThat(result(lease.lost())).isEqualTo(LossReason.SESSION_LOST);
        }

        @Test
        void closingIsNotALoss() {
            lease.onLost(reported::add);
            var future = lease.lost();

            lease.close();
            world.advance(60_000);

            assertThat(reported).isEmpty();
            assertThat(isPending(future)).isTrue();
            assertThatThrownBy(lease::ensureHeld)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
        }

        @Test
        void releaseSaysThatTheLeaseHadEnded() {
            lose();

            assertThat(lease.release()).isEqualTo(ReleaseResult.ALREADY_ENDED);
            assertThat(result(lease.releaseAsync())).isEqualTo(ReleaseResult.ALREADY_ENDED);
            lease.close();
        }

        @Test
        void releaseByFormerHolderLeavesNewLeaseAlone() {
            world.theirs.operator().forceRelease(KEY);
            Lease successor = world.others().acquire(KEY);

            assertThat(lease.release()).isEqualTo(ReleaseResult.ALREADY_ENDED);

            assertThat(successor.isHeld()).isTrue();
            world.advance(60_000);
            assertThat(successor.isHeld()).isTrue();
        }

        @Test
        void nullCallbackIsRefused() {
            assertThatThrownBy(() -> lease.onLost(null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("callback is null");
        }
    }

    @Nested
    class WhenItIsClosed {
        @Test
        void secondReleaseSaysThatTheLeaseHadEnded() {
            Lease lease = locks.acquire(KEY);

            assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
            assertThat(lease.release()).isEqualTo(ReleaseResult.ALREADY_ENDED);
            assertThat(world.wire.calls(Op.RELEASE)).isEqualTo(1);
        }

        @Test
        void asynchronousReleaseFreesTheLock() {
            Lease lease = locks.acquire(KEY);

            assertThat(result(lease.releaseAsync())).isEqualTo(ReleaseResult.RELEASED);
            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void textNamesKeyTokenAndState() {
            Lease lease = locks.acquire(KEY);
            assertThat(lease.toString())
                    .contains("k", lease.token().toString(), "left")
                    .doesNotContain(lease.owner().value());
            lease.close();
            assertThat(lease.toString()).contains("not held");
        }
    }
}
