package dev.interlock.internal.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.Locks;
import dev.interlock.lock.PendingLease;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.support.Blocked;
import dev.interlock.support.ScriptedBackend.Held;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The queue of one key inside one process, tested through the engine. */
@Tag("slow")
class GateRulesTest {
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
    class Queueing {
        @Test
        void processHasOnePlaceAtTheStoreForAllItsWaiters() {
            world.others().acquire(KEY);
            for (int i = 0; i < 50; i++) {
                assertThat(isPending(ask())).isTrue();
            }

            assertThat(world.wire.calls(Op.ATTEMPT)).isEqualTo(1);
        }

        @Test
        void asynchronousRequestsAreServedInOrder() {
            Lease holder = world.locks().acquire(KEY);
            List<PendingLease<Lease>> line = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                line.add(ask());
            }
            for (int i = 0; i < 20; i++) {
                holder.close();
                for (int j = i + 1; j < 20; j++) {
                    assertThat(isPending(line.get(j))).isTrue();
                }
                holder = result(line.get(i));
            }
        }

        @Test
        void cancelledRequestsAreSkipped() {
            Lease holder = world.locks().acquire(KEY);
            List<PendingLease<Lease>> line = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                line.add(ask());
            }
            line.subList(0, 9).forEach(PendingLease::cancel);

            holder.close();

            assertThat(result(line.get(9)).isHeld()).isTrue();
        }

        @Test
        void tryAcquireDoesNotQueueBehindAnAttemptInFlight() {
            Held slow = world.wire.answerLate(Op.ATTEMPT);
            PendingLease<Lease> first = ask();

            assertThat(world.locks().tryAcquire(KEY)).isEmpty();

            slow.go();
            assertThat(result(first).isHeld()).isTrue();
        }

        @Test
        void nextAttemptWaitsForTheReleaseInFlight() {
            Lease holder = world.locks().acquire(KEY);
            Held release = world.wire.delay(Op.RELEASE, 1);
            var released = holder.releaseAsync();
            PendingLease<Lease> next = ask();
            assertThat(world.wire.calls(Op.ATTEMPT)).isEqualTo(1);

            release.go();

            assertThat(isPending(released)).isFalse();
            assertThat(result(next).isHeld()).isTrue();
        }

        @Test
        void waiterBeyondTheMaximumIsRefused() {
            world.others().acquire(KEY);
            int waiting = 0;
            for (int i = 0; i < Protocol.MAX_WAITERS_PER_KEY + 1; i++) { // one of them has the place at the store
                waiting += isPending(ask()) ? 1 : 0;
            }

            assertThat(waiting).isEqualTo(Protocol.MAX_WAITERS_PER_KEY + 1);
            assertThat(failure(ask()))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("slow the callers down or split the key");
        }

        @Test
        void idleGatesAreRemoved() {
            for (int i = 0; i < 1_000; i++) {
                world.locks().acquire(LockKey.of("n", "" + i)).close();
            }

            // Neither holds nor waiters are left.
            var report = world.ours.shutdown(ofSeconds(1));
            assertThat(report.withdrawn()).isZero();
            assertThat(report.released()).isEmpty();
        }
    }

    @Nested
    class Barging {
        @Test
        void strictFifoAllowsNoBarging() {
            try (Interlock strict =
                    Interlock.builder(InMemoryBackend.create()).strictFifo().build()) {
                Lease holder = strict.locks().acquire(KEY);
                Blocked<Lease> waiting = Blocked.in(() -> strict.locks().acquire(KEY));

                holder.close();

                assertThat(strict.locks().tryAcquire(KEY)).isEmpty();
                assertThat(waiting.result().isHeld()).isTrue();
            }
        }

        @Test
        void runningThreadBargesPastAWaiterAtMostSixteenTimes() {
            try (Interlock interlock = Interlock.over(InMemoryBackend.create())) {
                Locks locks = interlock.locks();
                long end = System.nanoTime() + ofMillis(700).toNanos();
                while (System.nanoTime() < end) {
                    Lease holder = locks.acquire(KEY);
                    AtomicBoolean got = new AtomicBoolean();
                    Blocked<Object> waiting = Blocked.in(() -> {
                        Lease lease = locks.acquire(KEY);
                        got.set(true);
                        lease.close();
                        return "done";
                    });
                    int barges = -1;
                    while (!got.get()) {
                        barges++;
                        holder.close();
                        holder = locks.acquire(KEY);
                    }
                    assertThat(barges).isLessThanOrEqualTo(Protocol.MAX_BARGES);
                    holder.close();
                    assertThat(waiting.result()).isEqualTo("done");
                }
            }
        }

        @Test
        void openHoldOfAnInterruptedThreadGoesToTheNextWaiter() {
            try (Interlock interlock = Interlock.over(InMemoryBackend.create())) {
                Locks locks = interlock.locks();
                long end = System.nanoTime() + ofMillis(500).toNanos();
                while (System.nanoTime() < end) {
                    Lease holder = locks.acquire(KEY);
                    Blocked<Lease> first = Blocked.in(() -> locks.acquire(KEY));
                    PendingLease<Lease> second = locks.acquireAsync(KEY);
                    first.thread().interrupt();
                    holder.close();
                    await().until(first::isDone);
                    closeIfGranted(first);
                    Lease next = second.toCompletableFuture()
                            .orTimeout(5, TimeUnit.SECONDS)
                            .join();
                    assertThat(next.isHeld()).isTrue();
                    next.close();
                }
            }
        }

        private void closeIfGranted(Blocked<Lease> call) {
            try {
                call.result().close();
            } catch (AssertionError interrupted) {
                assertThat(interrupted).hasCauseInstanceOf(LockInterruptedException.class);
            }
        }
    }
}
