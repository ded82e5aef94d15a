package dev.interlock.testkit;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.FenceGuard;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.memory.InMemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WorldPauseTest {
    private static final Duration LEASE = ofSeconds(30);

    @RegisterExtension
    final InterlockWorld world = new InterlockWorld();

    private final LockKey key = LockKey.of("stock", "sku-1");
    private final List<LossReason> reasons = new ArrayList<>();

    @Nested
    class OfHalfALease {
        @Test
        void losesNothingAndRenewsAfterwards() {
            try (Lease lease = world.locks().acquire(key)) {
                lease.onLost(reasons::add);
                world.pause(ofSeconds(15));
                assertThat(lease.isHeld()).isTrue();
                assertThat(endsIn()).isEqualTo(ofSeconds(15));

                world.advance(Duration.ZERO);
                assertThat(endsIn()).as("renewed at once after the pause").isEqualTo(LEASE);
                world.advance(ofMinutes(2));
                assertThat(lease.isHeld()).isTrue();
                assertThat(reasons).isEmpty();
            }
        }
    }

    @Nested
    class LongerThanTheLease {
        @Test
        void isNoticedAtTheFirstStepAndNotBefore() {
            try (Lease lease = world.locks().acquire(key)) {
                lease.onLost(reasons::add);
                world.pause(LEASE.multipliedBy(2));
                assertThat(reasons).as("the code continues first").isEmpty();
                assertThat(world.inspect(key)).isEmpty();

                assertThat(lease.isHeld()).isFalse();
                assertThat(reasons).containsExactly(LossReason.EXPIRED);
                assertThatThrownBy(lease::ensureHeld).isInstanceOf(LeaseLostException.class);
            }
        }

        @Test
        void isReportedWhenTimeMovesEvenWithoutACheck() {
            try (Lease lease = world.locks().acquire(key)) {
                lease.onLost(reasons::add);
                world.pause(LEASE.multipliedBy(2));
                world.advance(Duration.ZERO);
                assertThat(reasons).containsExactly(LossReason.EXPIRED);
            }
        }

        @Test
        void letsAnotherProcessInWhoseFenceRefusesTheOldHolder() {
            FenceGuard fence = new FenceGuard();
            world.locks().run(key, lease -> {
                world.pause(LEASE.plusSeconds(1));
                Lease rival = world.takeOver(key);
                assertThat(rival.token().isNewerThan(lease.token())).isTrue();
                fence.raise(rival);
                assertThatThrownBy(() -> fence.check(lease)).isInstanceOf(StaleTokenException.class);
            });
            assertThat(holder())
                    .as("closing the old lease leaves the new one alone")
                    .isEqualTo("rival-1");
        }

        /** Shows that the script really causes what the fence prevents. */
        @Test
        void makesCodeWithoutAFenceSellTheSameItemTwice() {
            int[] left = {1};
            int[] sold = {0};
            world.locks().run(key, lease -> {
                int seen = left[0];
                world.pause(LEASE.plusSeconds(1));
                world.another("two").locks().run(key, second -> {
                    left[0]--;
                    sold[0]++;
                });
                left[0] = seen - 1;
                sold[0]++;
            });
            assertThat(sold[0]).isEqualTo(2);
        }

        @Test
        void letsAWaitingProcessAcquireTheLock() {
            try (Lease lease = world.locks().acquire(key)) {
                PendingLease<Lease> next = world.another("next")
                        .locks()
                        .with(key)
                        .waitAtMost(ofSeconds(50))
                        .acquireAsync();
                world.pause(LEASE.plusSeconds(2));
                assertThat(next.toCompletableFuture().join().token().isNewerThan(lease.token()))
                        .isTrue();
            }
        }
    }

    @Test
    void endsExactlyAtTheDeadline() {
        try (Lease lease = world.locks().acquire(key)) {
            Duration remaining = lease.remaining();
            world.pause(remaining.minusNanos(1));
            assertThat(lease.isHeld()).isTrue();
            world.pause(Duration.ofNanos(1));
            assertThat(lease.isHeld()).isFalse();
        }
    }

    @Test
    void pushWaitsUntilTheProcessResumes() {
        Lease held = world.busy(key);
        PendingLease<Lease> waiting =
                world.locks().with(key).waitAtMost(ofMinutes(1)).acquireAsync();
        world.after(ofMillis(100), held::close);
        world.after(
                ofMillis(300), () -> assertThat(waiting.toCompletableFuture()).isNotDone());
        world.pause(ofMillis(400));
        assertThat(waiting.toCompletableFuture()).isCompleted();
        waiting.toCompletableFuture().join().close();
    }

    @Test
    void waiterWithALongPauseLosesOnlyItsQueuePlace() {
        Lease held = world.busy(key);
        PendingLease<Lease> waiting =
                world.locks().with(key).waitAtMost(ofMinutes(1)).acquireAsync();
        world.after(ofSeconds(1), held::close);
        world.pause(ofSeconds(20));
        assertThat(waiting.toCompletableFuture()).isNotDone();
        world.advance(ofSeconds(2));
        try (Lease lease = waiting.toCompletableFuture().join()) {
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void blockedCallerPausedBeyondItsPatienceTimesOutWhenItResumes() {
        long start = world.clock().nanos();
        world.busy(key);
        world.after(ofSeconds(1), () -> world.pause(ofSeconds(20)));
        assertThatThrownBy(() -> world.locks().acquire(key)).isInstanceOf(LockTimeoutException.class);
        assertThat(Duration.ofNanos(world.clock().nanos() - start)).isEqualTo(ofSeconds(21));
    }

    @Test
    void otherProcessesContinue() {
        Interlock other = world.another("other");
        try (Lease lease = other.locks().acquire(key)) {
            world.pause(LEASE.multipliedBy(3));
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void anotherProcessCanBePaused() {
        Interlock other = world.another("other");
        Lease lease = other.locks().acquire(key);
        world.pause(other, LEASE.plusSeconds(1));
        try (Lease mine = world.locks().acquire(key)) {
            assertThat(mine.token().isNewerThan(lease.token())).isTrue();
        }
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void crashedProcessReleasesNothingUntilItsLeaseEnds() {
        Interlock other = world.another("other");
        other.locks().acquire(key);
        world.crash(other);
        world.advance(LEASE.minusNanos(1));
        assertThat(holder()).isEqualTo("other");
        world.advance(Duration.ofNanos(1));
        assertThat(world.inspect(key)).isEmpty();
    }

    @Test
    void processesOfAnotherWorldAreRefused() {
        try (Interlock stranger = Interlock.over(InMemoryBackend.create())) {
            assertThatThrownBy(() -> world.pause(stranger, ofSeconds(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("does not belong to this world");
        }
        assertThatThrownBy(() -> world.pause(ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Nested
    class Suspension {
        @Test
        void isNotVisibleToACheckThatOnlyReadsTheClock() {
            try (Lease lease = world.locks().acquire(key)) {
                lease.onLost(reasons::add);
                world.suspend(LEASE.multipliedBy(2));
                assertThat(lease.isHeld()).as("nanoTime did not move").isTrue();
                assertThat(world.inspect(key)).isEmpty();

                assertThatThrownBy(lease::ensureHeld).isInstanceOf(LeaseLostException.class);
                assertThat(reasons).containsExactly(LossReason.SUSPENDED);
            }
        }

        @Test
        void isNoticedWhenTimeMoves() {
            try (Lease lease = world.locks().acquire(key)) {
                lease.onLost(reasons::add);
                world.suspend(LEASE.multipliedBy(2));
                world.advance(ofSeconds(10));
                assertThat(reasons).containsExactly(LossReason.SUSPENDED);
            }
        }

        @Test
        void shorterThanTheLeaseLosesNothing() {
            try (Lease lease = world.locks().acquire(key)) {
                world.suspend(ofSeconds(15));
                lease.ensureHeld();
                assertThat(lease.remaining()).isLessThan(ofSeconds(15));
                world.advance(ofSeconds(100));
                lease.ensureHeld();
            }
        }

        @Test
        void leavesOtherHostsAlone() {
            try (Lease lease = world.another("other").locks().acquire(key)) {
                world.suspend(LEASE.multipliedBy(3));
                lease.ensureHeld();
            }
        }
    }

    private Duration endsIn() {
        return world.inspect(key).orElseThrow().holders().get(0).endsIn();
    }

    private String holder() {
        return world.inspect(key).orElseThrow().holders().get(0).label();
    }
}
