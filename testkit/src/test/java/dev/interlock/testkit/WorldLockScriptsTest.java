package dev.interlock.testkit;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.FenceGuard;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.StaleTokenException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WorldLockScriptsTest {
    @RegisterExtension
    final InterlockWorld world = new InterlockWorld();

    private final LockKey key = LockKey.of("stock", "sku-1");
    private final LockKey other = LockKey.of("stock", "sku-2");
    private final List<LossReason> reasons = new ArrayList<>();

    @Nested
    class Busy {
        @Test
        void lockIsHeldByAnotherProcessUntilClosed() {
            Lease held = world.busy(key);
            assertThat(world.locks().tryAcquire(key)).isEmpty();
            assertThat(labels()).containsExactly("other-1");
            world.advance(ofMinutes(5));
            assertThat(world.locks().tryRun(key, lease -> {})).isFalse();
            held.close();
            assertThat(world.locks().tryRun(key, lease -> {})).isTrue();
        }

        @Test
        void withALengthEndsAfterIt() {
            world.busy(key, ofSeconds(3));
            world.advance(ofSeconds(3).minusNanos(1));
            assertThat(world.locks().tryRun(key, lease -> {})).isFalse();
            world.advance(Duration.ofNanos(1));
            assertThat(world.locks().tryRun(key, lease -> {})).isTrue();
        }

        @Test
        void isRefusedIfTheLockIsNotFree() {
            world.busy(key);
            assertThatThrownBy(() -> world.busy(key))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("other-1")
                    .hasMessageContaining("takeOver");
        }
    }

    @Nested
    class TakeOver {
        @Test
        void givesALargerTokenWhileTheFormerHolderReliesOnItsLease() {
            FenceGuard fence = new FenceGuard();
            try (Lease lease = world.locks().acquire(key)) {
                long before = world.clock().nanos();
                Lease rival = world.takeOver(key);
                assertThat(world.clock().nanos()).isEqualTo(before);
                assertThat(lease.isHeld()).as("not notified yet").isTrue();
                assertThat(labels()).containsExactly("rival-1");
                fence.raise(rival);
                assertThatThrownBy(() -> fence.check(lease)).isInstanceOf(StaleTokenException.class);
            }
        }

        @Test
        void isReportedToTheFormerHolderAtItsNextRenewal() {
            try (Lease lease = world.locks().acquire(key)) {
                lease.onLost(reasons::add);
                world.takeOver(key);
                world.advance(ofSeconds(8));
                assertThat(reasons).isEmpty();
                world.advance(ofSeconds(3));
                assertThat(reasons).containsExactly(LossReason.REPLACED);
            }
            assertThat(labels())
                    .as("holder after the release by the former one")
                    .containsExactly("rival-1");
        }

        @Test
        void worksInsideTheLockedCodeAndRepeatedly() {
            world.locks().run(key, lease -> {
                Lease first = world.takeOver(key);
                Lease second = world.takeOver(key);
                assertThat(second.token().isNewerThan(first.token())).isTrue();
            });
            assertThat(labels()).containsExactly("rival-2");
        }

        @Test
        void ofAFreeLockAcquiresIt() {
            world.takeOver(key);
            assertThat(world.locks().tryAcquire(key)).isEmpty();
        }

        @Test
        void isRefusedIfTheLockHasWaiters() {
            Lease held = world.busy(key);
            PendingLease<Lease> waiting = world.locks().acquireAsync(key);
            assertThatThrownBy(() -> world.takeOver(key))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("wait for it");
            held.close();
            waiting.toCompletableFuture().join().close();
        }
    }

    @Nested
    class Loss {
        @ParameterizedTest
        @EnumSource(
                value = LossReason.class,
                names = {"EXPIRED", "REPLACED", "FORCED", "SESSION_LOST"})
        void isReportedToTheHolderWithItsReason(LossReason reason) {
            try (Lease lease = world.locks().acquire(key)) {
                lease.onLost(reasons::add);
                world.lose(key, reason);
                assertThat(reasons).containsExactly(reason);
                assertThatThrownBy(lease::ensureHeld)
                        .isInstanceOfSatisfying(
                                LeaseLostException.class,
                                lost -> assertThat(lost.reason()).isEqualTo(reason));
                assertThat(world.inspect(key)).isEmpty();
            }
        }

        @Test
        void insideTheLockedCodeIsVisibleToTheCodeAfterIt() {
            List<Boolean> held = new ArrayList<>();
            world.locks().run(key, lease -> {
                held.add(lease.isHeld());
                world.lose(key);
                held.add(lease.isHeld());
            });
            assertThat(held).containsExactly(true, false);
        }

        @Test
        void ofALeaseWithoutRenewalsIsReportedAtItsEnd() {
            try (Lease lease =
                    world.locks().with(key).renew(false).leaseFor(ofSeconds(10)).acquire()) {
                lease.onLost(reasons::add);
                world.lose(key);
                assertThat(reasons).containsExactly(LossReason.EXPIRED);
            }
        }

        @Test
        void inAnOutageIsReportedAtTheDeadline() {
            try (Lease lease = world.locks().acquire(key)) {
                lease.onLost(reasons::add);
                world.outage(Outage.REFUSED);
                world.lose(key);
                assertThat(reasons).containsExactly(LossReason.STORE_UNREACHABLE);
            }
        }

        @Test
        void handsTheLockToTheWaiter() {
            try (Lease lease = world.locks().acquire(key)) {
                PendingLease<Lease> next = world.another("next")
                        .locks()
                        .with(key)
                        .waitAtMost(ofMinutes(1))
                        .acquireAsync();
                world.lose(key);
                assertThat(next.toCompletableFuture().join().token().isNewerThan(lease.token()))
                        .isTrue();
            }
        }

        @Test
        void ofOneLockLeavesOtherLocksAlone() {
            try (Lease one = world.locks().acquire(key);
                    Lease two = world.locks().acquire(other)) {
                world.lose(key);
                assertThat(one.isHeld()).isFalse();
                assertThat(two.isHeld()).isTrue();
            }
        }

        @Test
        void ofAllSharedHoldersIsReportedToEach() {
            try (Lease one = world.locks().with(key).shared().acquire();
                    Lease two = world.another("two").locks().with(key).shared().acquire()) {
                world.lose(key);
                assertThat(one.isHeld()).isFalse();
                assertThat(two.isHeld()).isFalse();
            }
        }

        @Test
        void thatIsImpossibleIsRefused() {
            assertThatThrownBy(() -> world.lose(key))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("No process holds");
            try (Lease lease = world.locks().acquire(key)) {
                assertThatThrownBy(() -> world.lose(key, LossReason.SUSPENDED))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("SUSPENDED");
                assertThat(lease.isHeld()).isTrue();
            }
        }
    }

    @Nested
    class AfterGrant {
        @Test
        void takeOverHappensInTheMiddleOfTheCode() {
            world.afterGrant(key, () -> world.takeOver(key));
            world.locks().run(key, lease -> assertThat(labels()).containsExactly("rival-1"));
        }

        @Test
        void pauseHappensInTheMiddleOfTheCode() {
            world.afterGrant(key, () -> world.pause(ofMinutes(1)));
            world.locks().run(key, lease -> assertThat(lease.isHeld()).isFalse());
        }

        @Test
        void lossHappensInTheMiddleOfTheCode() {
            world.afterGrant(key, () -> world.lose(key));
            world.locks().run(key, lease -> {
                lease.onLost(reasons::add);
                assertThat(lease.isHeld()).isFalse();
            });
            assertThat(reasons).containsExactly(LossReason.FORCED);
        }

        @Test
        void alsoRunsForAGrantAfterAWait() {
            for (Runnable script : List.<Runnable>of(
                    () -> world.pause(ofMinutes(1)), () -> world.lose(key), () -> world.takeOver(key))) {
                world.busy(key, ofSeconds(2));
                world.afterGrant(key, script);
                world.locks().run(key, lease -> {
                    world.advance(ofSeconds(11));
                    assertThat(lease.isHeld()).isFalse();
                });
                world.inspect(key).ifPresent(held -> world.lose(key));
            }
        }

        @Test
        void runsOncePerScriptAndOnlyForThisKeyAndThisProcess() {
            List<String> ran = new ArrayList<>();
            world.afterGrant(key, () -> ran.add("first"));
            world.afterGrant(key, () -> ran.add("second"));
            world.another("other").locks().run(key, lease -> {});
            world.locks().run(other, lease -> {});
            assertThat(ran).isEmpty();
            world.locks().run(key, lease -> {});
            assertThat(ran).containsExactly("first");
            world.locks().run(key, lease -> {});
            world.locks().run(key, lease -> {});
            assertThat(ran).containsExactly("first", "second");
        }
    }

    @Test
    void scriptsRunAtTheirMomentInOrder() {
        long start = world.clock().nanos();
        List<String> ran = new ArrayList<>();
        for (int seconds : new int[] {3, 1, 2, 1}) {
            world.after(
                    ofSeconds(seconds),
                    () -> ran.add(seconds + "@"
                            + Duration.ofNanos(world.clock().nanos() - start).toSeconds()));
        }
        world.advance(ofSeconds(2));
        assertThat(ran).containsExactly("1@1", "1@1", "2@2");
        world.clock().advance(ofSeconds(1));
        assertThat(ran).endsWith("3@3");
    }

    @Test
    void scriptMayMoveTimeItself() {
        List<String> ran = new ArrayList<>();
        world.after(ofSeconds(1), () -> {
            world.advance(ofSeconds(5));
            ran.add("outer");
        });
        world.after(ofSeconds(2), () -> ran.add("inner"));
        world.advance(ofSeconds(1));
        assertThat(ran).containsExactly("inner", "outer");
    }

    private List<String> labels() {
        return world.inspect(key).orElseThrow().holders().stream()
                .map(LockSnapshot.Holder::label)
                .toList();
    }
}
