package dev.interlock.testkit;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
@Tag("slow")
class WorldBlockingTest {
    @RegisterExtension
    final InterlockWorld world = new InterlockWorld();

    private final LockKey key = LockKey.of("stock", "sku-1");
    private final LockKey other = LockKey.of("stock", "sku-2");
    private final long start = world.clock().nanos();

    private Duration elapsed() {
        return Duration.ofNanos(world.clock().nanos() - start);
    }

    @Nested
    class TestThread {
        @RepeatedTest(20)
        void waitsExactlyUntilTheLockIsFree() {
            world.busy(key, ofSeconds(3));
            world.locks().run(key, lease -> assertThat(elapsed()).isEqualTo(ofSeconds(3)));
        }

        @RepeatedTest(20)
        void waitsExactlyForItsPatience() {
            world.busy(key);
            assertThatThrownBy(() -> world.locks().acquire(key)).isInstanceOf(LockTimeoutException.class);
            assertThat(elapsed()).isEqualTo(ofSeconds(5));
        }

        @Test
        void waitsForSeveralKeysAndForSharedOnes() {
            world.busy(key, ofSeconds(1));
            world.busy(other, ofSeconds(2));
            try (LeaseSet leases = world.locks().with(List.of(key, other)).acquire()) {
                assertThat(elapsed()).isEqualTo(ofSeconds(2));
                assertThat(leases.isHeld()).isTrue();
            }
            world.busy(key, ofSeconds(1));
            world.locks().with(key).shared().run(lease -> assertThat(elapsed()).isEqualTo(ofSeconds(3)));
        }

        @Test
        void waitsForTheLeaseOfACrashedHolderToEnd() {
            var crashed = world.another("crashed");
            crashed.locks().with(key).leaseFor(ofSeconds(10)).acquire();
            world.crash(crashed);
            world.locks()
                    .with(key)
                    .waitAtMost(ofSeconds(20))
                    .run(lease -> assertThat(elapsed()).isBetween(ofSeconds(10), ofMillis(10_500)));
        }

        @Test
        void canBeInterruptedWhileItWaits() {
            world.busy(key);
            Thread me = Thread.currentThread();
            world.after(ofSeconds(2), me::interrupt);
            assertThatThrownBy(() -> world.locks().acquire(key)).isInstanceOf(LockInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(elapsed()).isEqualTo(ofSeconds(2));
        }

        @Test
        void waitsThroughAJavaLock() throws InterruptedException {
            world.busy(key, ofSeconds(1));
            var lock = world.locks().asLock(key);
            assertThat(lock.tryLock(3, TimeUnit.SECONDS)).isTrue();
            lock.unlock();
            assertThat(elapsed()).isEqualTo(ofSeconds(1));
        }
    }

    @Nested
    class StartedThreads {
        @Test
        void thatWaitDoNotMoveTime() throws Exception {
            Lease held = world.busy(key);
            StartedCall<Duration> call = world.start(() -> world.locks().call(key, lease -> elapsed()));
            assertThat(call.isDone()).isFalse();
            world.advance(ofSeconds(3));
            assertThat(call.isDone()).isFalse();
            held.close();
            assertThat(call.isDone()).isTrue();
            assertThat(call.result()).isEqualTo(ofSeconds(3));
        }

        @Test
        void letTimeMoveWhenTheirResultIsRequested() throws Exception {
            world.busy(key, ofSeconds(2));
            assertThat(world.start(() -> world.locks().call(key, lease -> elapsed()))
                            .result())
                    .isEqualTo(ofSeconds(2));
        }

        @Test
        void thatFailThrowWhenTheirResultIsRequested() {
            world.busy(key);
            StartedCall<Lease> call = world.start(() -> world.locks().acquire(key));
            world.advance(ofSeconds(5).minusNanos(1));
            assertThat(call.isDone()).isFalse();
            world.advance(Duration.ofNanos(1));
            assertThat(call.isDone()).isTrue();
            assertThatThrownBy(call::result).isInstanceOf(LockTimeoutException.class);
        }

        @Test
        void thatNeedNotWaitEndAtOnce() throws Exception {
            StartedCall<String> call = world.start(() -> "done");
            assertThat(call.isDone()).isTrue();
            assertThat(call.result()).isEqualTo("done");
        }

        /** Two threads of one process, which pass the lock locally, and one of another process. */
        @RepeatedTest(20)
        void takeTurnsInTheSameOrderEveryTime() throws Exception {
            List<String> order = new ArrayList<>();
            Lease held = world.busy(key);
            List<StartedCall<?>> calls = List.of(
                    world.start(work(order, "a", world.locks()::acquire)),
                    world.start(work(order, "b", world.locks()::acquire)),
                    world.start(work(order, "c", world.another("other").locks()::acquire)));
            world.advance(ofSeconds(1));
            held.close();
            for (StartedCall<?> call : calls) {
                call.result();
            }
            assertThat(order).containsExactly("a@1000", "b@1000", "c@1000");
            assertThat(elapsed()).isEqualTo(ofSeconds(1));
        }

        private Callable<String> work(
                List<String> order, String name, java.util.function.Function<LockKey, Lease> acquire) {
            return () -> {
                try (Lease lease = acquire.apply(key)) {
                    order.add(name + "@" + elapsed().toMillis());
                    return name;
                }
            };
        }

        @Test
        void mayUseScriptsWhileOtherThreadsWait() throws Exception {
            StartedCall<Boolean> first = world.start(() -> world.locks().call(key, lease -> {
                world.pause(ofSeconds(31));
                return lease.isHeld();
            }));
            assertThat(first.result()).isFalse();

            Lease held = world.busy(other);
            StartedCall<Duration> waiting =
                    world.start(() -> world.another("other").locks().call(other, lease -> elapsed()));
            StartedCall<Duration> scripted = world.start(() -> {
                held.close();
                world.advance(ofSeconds(1));
                return elapsed();
            });
            assertThat(waiting.result()).isEqualTo(ofSeconds(31));
            assertThat(scripted.result()).isEqualTo(ofSeconds(32));
        }

        @RepeatedTest(50)
        void canBeInterrupted() {
            world.busy(key);
            List<Thread> thread = new ArrayList<>();
            StartedCall<Lease> call = world.start(() -> {
                thread.add(Thread.currentThread());
                return world.locks().acquire(key);
            });
            thread.get(0).interrupt();
            assertThatThrownBy(call::result).isInstanceOf(LockInterruptedException.class);
            assertThat(elapsed()).isZero();
        }
    }

    @Nested
    class ThreadsOfTheCodeUnderTest {
        @Test
        void getTimeWhileTheTestWaitsForThem() {
            world.busy(key, ofSeconds(2));
            CompletableFuture<Void> work =
                    CompletableFuture.runAsync(() -> world.locks().run(key, lease -> {}));
            work.join();
            assertThat(elapsed()).isGreaterThanOrEqualTo(ofSeconds(2));
        }

        @Test
        @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        void includeTheThreadOnWhichATimeoutRunsTheTest() {
            world.busy(key, ofSeconds(2));
            world.locks().run(key, lease -> assertThat(elapsed()).isGreaterThanOrEqualTo(ofSeconds(2)));
        }
    }
}
