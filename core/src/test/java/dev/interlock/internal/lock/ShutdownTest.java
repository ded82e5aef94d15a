package dev.interlock.internal.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.InterlockClosedException;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.ShutdownReport;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.StoreException;
import dev.interlock.support.ScriptedBackend.Held;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Closing withdraws waits, releases holds, notifies every holder and reports the locks it could not release. */
class ShutdownTest {
    private static final LockKey KEY = LockKey.of("k");

    private TwoProcesses world = new TwoProcesses();
    private final List<LossReason> losses = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void reportCountsWithdrawnWaitsAndNamesReleasedLocks() {
        Lease held = world.locks().acquire(KEY);
        held.onLost(losses::add);
        Lease theirs = world.others().acquire(LockKey.of("theirs"));
        PendingLease<Lease> waiting = world.locks()
                .with(LockKey.of("theirs"))
                .waitAtMost(ofMinutes(1))
                .acquireAsync();

        ShutdownReport report = world.ours.shutdown(ofSeconds(1));

        assertThat(report).isEqualTo(new ShutdownReport(1, List.of(KEY), List.of()));
        assertThat(failure(waiting))
                .isInstanceOf(InterlockClosedException.class)
                .hasMessageContaining("theirs");
        assertThat(losses).containsExactly(LossReason.CLOSED);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(ReleaseResult.ALREADY_ENDED);
        assertThat(world.others().tryAcquire(KEY)).isPresent();
        theirs.close();
        assertThat(world.others().tryAcquire(LockKey.of("theirs"))).isPresent();
        assertThat(world.wire.isClosed()).isTrue();
    }

    @Test
    void secondCallReturnsTheReportOfTheFirst() {
        world.locks().acquire(KEY);

        ShutdownReport first = world.ours.shutdown(ofSeconds(1));

        assertThat(world.ours.shutdown(ZERO)).isSameAs(first);
        world.ours.close();
    }

    @Test
    void unconfirmedReleaseIsReportedAsUnreleased() {
        world.locks().acquire(KEY);
        world.wire.down(() -> StoreException.unknown("silence", null));

        ShutdownReport report = world.ours.shutdown(ZERO);

        assertThat(report.released()).isEmpty();
        assertThat(report.unreleased()).containsExactly(KEY);
    }

    @Test
    void budgetOutOfRangeIsRefused() {
        assertThatThrownBy(() -> world.ours.shutdown(ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("choose a duration between");
        assertThatThrownBy(() -> world.ours.shutdown(ofMinutes(61))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> world.ours.shutdown(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("budget is null");
        assertThat(world.locks().acquire(KEY).isHeld()).isTrue();
    }

    @Test
    void sharedBackendStaysOpenIfConfigured() {
        world.close();
        world = TwoProcesses.with(Interlock.Builder::keepBackendOpen);

        world.ours.close();

        assertThat(world.wire.isClosed()).isFalse();
    }

    @Nested
    class WhenAStepIsInProgress {
        @Test
        void waitThatIsBeingConfirmedEnds() {
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> waiting = world.locks()
                    .with(KEY)
                    .renew(false)
                    .waitAtMost(ofSeconds(3))
                    .acquireAsync();
            Held confirmation = world.wire.delay(Op.RENEW, 9);
            theirs.close();
            assertThat(confirmation.size()).isEqualTo(1);

            ShutdownReport report = world.ours.shutdown(ZERO);

            assertThat(report.withdrawn()).isEqualTo(1);
            assertThat(failure(waiting)).isInstanceOf(InterlockClosedException.class);
        }

        @Test
        void threadThatWaitsForAConfirmationReturns() throws Exception {
            Lease theirs = world.others().acquire(KEY);
            CompletableFuture<Throwable> outcome = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    world.locks()
                            .with(KEY)
                            .renew(false)
                            .waitAtMost(ofSeconds(3))
                            .acquire();
                    outcome.complete(new AssertionError("acquired"));
                } catch (RuntimeException e) {
                    outcome.complete(e);
                }
            });
            thread.start();
            await().until(() -> thread.getState() == Thread.State.WAITING);
            world.wire.delay(Op.RENEW, 9);
            theirs.close();

            world.ours.shutdown(ZERO);

            assertThat(outcome.get(5, TimeUnit.SECONDS)).isInstanceOf(InterlockClosedException.class);
        }

        @Test
        void waitBetweenTwoTriesEnds() {
            world.wire.lose(Op.ATTEMPT, false);
            PendingLease<Lease> retrying =
                    world.locks().with(KEY).waitAtMost(ofMinutes(1)).acquireAsync();

            world.ours.shutdown(ZERO);

            assertThat(failure(retrying)).isInstanceOf(InterlockClosedException.class);
        }

        @Test
        void leaseThatIsBeingDeliveredIsNotifiedWithTheReason() {
            world.clock.onNextWake(() -> world.ours.shutdown(ofMillis(100)));

            Lease lease = world.locks().acquire(KEY);
            lease.onLost(losses::add);

            assertThat(lease.isHeld()).isFalse();
            assertThat(losses).containsExactly(LossReason.CLOSED);
            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void leaseThatIsBeingDeliveredIsReported() {
            AtomicReference<ShutdownReport> report = new AtomicReference<>();
            world.clock.onNextWake(() -> report.set(world.ours.shutdown(ofMillis(100))));

            world.locks().acquire(KEY);

            assertThat(report.get().released()).containsExactly(KEY);
        }

        @Test
        void leaseThatWasJustDeliveredIsReleasedOnce() {
            Held answer = world.wire.answerLate(Op.ATTEMPT);
            PendingLease<Lease> asked =
                    world.locks().with(KEY).waitAtMost(ofMinutes(1)).acquireAsync();
            var unused = asked.thenAccept(lease -> world.ours.shutdown(ZERO));

            answer.go();

            assertThat(result(asked).isHeld()).isFalse();
            assertThat(world.wire.calls(Op.RELEASE)).isEqualTo(1);
        }

        @Test
        void leasePassedByAHolderThatWasJustDeliveredIsNotifiedToo() throws Exception {
            CountDownLatch closing = new CountDownLatch(1);
            CountDownLatch delivered = new CountDownLatch(1);
            world.close();
            world = TwoProcesses.with(options -> options.listener(event -> {
                // The shutdown has ended a wait and has not searched for leases yet.
                if (event instanceof LockEvent.Refused) {
                    closing.countDown();
                    awaitSoon(delivered);
                }
            }));
            world.others().acquire(LockKey.of("theirs"));
            world.locks().with(LockKey.of("theirs")).waitAtMost(ofMinutes(1)).acquireAsync();
            Held answer = world.wire.answerLate(Op.ATTEMPT);
            PendingLease<Lease> first =
                    world.locks().with(KEY).waitAtMost(ofMinutes(1)).acquireAsync();
            PendingLease<Lease> second =
                    world.locks().with(KEY).waitAtMost(ofMinutes(1)).acquireAsync();
            Thread shutdown = new Thread(() -> world.ours.shutdown(ZERO));
            var unused = second.thenAccept(lease -> lease.onLost(losses::add));
            var unusedToo = first.thenAccept(lease -> {
                lease.close();
                shutdown.start();
                awaitSoon(closing);
            });

            answer.go();
            delivered.countDown();
            shutdown.join();

            assertThat(result(second).isHeld()).isFalse();
            assertThat(losses).containsExactly(LossReason.CLOSED);
        }

        private static void awaitSoon(CountDownLatch latch) {
            try {
                assertThat(latch.await(5, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Test
        void grantThatArrivesAfterwardsIsReturned() {
            Held answer = world.wire.answerLate(Op.ATTEMPT);
            PendingLease<Lease> asked =
                    world.locks().with(KEY).waitAtMost(ofMinutes(1)).acquireAsync();
            world.ours.shutdown(ZERO);

            answer.go();

            assertThat(failure(asked)).isInstanceOf(InterlockClosedException.class);
            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void laterKeyOfASetThatArrivesAfterwardsIsReturnedToo() {
            world.close();
            world = TwoProcesses.polling();
            LockKey other = LockKey.of("other");
            Lease theirs = world.others().acquire(other);
            PendingLease<LeaseSet> asked = world.locks()
                    .with(List.of(KEY, other))
                    .waitAtMost(ofMinutes(1))
                    .acquireAsync();
            theirs.close();
            Held answer = world.wire.answerLate(Op.ATTEMPT);
            world.advance(1_000);
            assertThat(answer.size()).isEqualTo(1);
            world.ours.shutdown(ZERO);

            answer.go();

            assertThat(failure(asked)).isInstanceOf(InterlockClosedException.class);
            assertThat(world.others().tryAcquire(KEY)).isPresent();
            assertThat(world.others().tryAcquire(other)).isPresent();
        }

        @Test
        void leasesWhoseRenewalIsDueAreReportedAndNotified() throws Exception {
            long end = System.nanoTime() + ofMillis(900).toNanos();
            while (System.nanoTime() < end) {
                Interlock interlock = Interlock.over(InMemoryBackend.create());
                List<Lease> leases = new ArrayList<>();
                List<CompletableFuture<LossReason>> losses = new ArrayList<>();
                for (int i = 0; i < 2_000; i++) {
                    Lease lease = result(interlock
                            .locks()
                            .with(LockKey.of("k", "" + i))
                            .leaseFor(ofSeconds(1))
                            .renewEvery(ofMillis(5))
                            .acquireAsync());
                    leases.add(lease);
                    losses.add(lease.lost().toCompletableFuture());
                }

                ShutdownReport report = interlock.shutdown(ofSeconds(1));

                assertThat(report.released()).hasSize(2_000);
                for (CompletableFuture<LossReason> loss : losses) {
                    assertThat(loss.get(5, TimeUnit.SECONDS)).isEqualTo(LossReason.CLOSED);
                }
                assertThat(leases).noneMatch(Lease::isHeld);
            }
        }
    }

    @Nested
    class WhenUsedAfterwards {
        @Test
        void everyOperationIsRefusedWithAMessage() {
            world.ours.close();

            assertThatThrownBy(() -> world.locks().acquire(KEY))
                    .isInstanceOf(InterlockClosedException.class)
                    .hasMessageContaining("open a new one");
            assertThatThrownBy(() -> world.locks().tryAcquire(KEY)).isInstanceOf(InterlockClosedException.class);
            assertThatThrownBy(() -> world.locks().acquireAsync(KEY)).isInstanceOf(InterlockClosedException.class);
            assertThatThrownBy(() -> world.locks().asLock(KEY).lock()).isInstanceOf(InterlockClosedException.class);
            assertThatThrownBy(() -> world.ours.operator().inspect(KEY)).isInstanceOf(InterlockClosedException.class);
            assertThatThrownBy(() -> world.ours.operator().forceRelease(KEY))
                    .isInstanceOf(InterlockClosedException.class);
        }

        @Test
        void locksOfAnotherProcessAreNotTouched() {
            Lease theirs = world.others().acquire(KEY);

            world.ours.close();

            assertThat(theirs.isHeld()).isTrue();
            assertThat(result(world.others().acquireAsync(LockKey.of("new"))).isHeld())
                    .isTrue();
        }
    }
}
