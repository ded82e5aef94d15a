package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.spi.StoreException;
import dev.interlock.support.Blocked;
import dev.interlock.support.TwoProcesses;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** How a request for a lock can end. */
class AcquireTest {
    private static final LockKey KEY = LockKey.of("inventory", "sku-1");

    private final TwoProcesses world = TwoProcesses.with(options -> options.releaseWithin(ofMillis(50)));
    private final Locks locks = world.locks();

    @AfterEach
    void close() {
        world.close();
    }

    @Nested
    class WhenTheLockIsFree {
        @Test
        void leaseHasKeyModeTokenAndFullLength() {
            Lease lease = locks.acquire(KEY);

            assertThat(lease.key()).isEqualTo(KEY);
            assertThat(lease.mode()).isEqualTo(LockMode.EXCLUSIVE);
            assertThat(lease.token()).isEqualTo(FencingToken.of(1, 0));
            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.remaining()).isBetween(ofSeconds(29), ofSeconds(30));
            assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
            assertThat(lease.isHeld()).isFalse();
        }

        @Test
        void everyMethodAcquiresTheLock() throws IOException {
            locks.acquire(KEY).close();
            locks.tryAcquire(KEY).orElseThrow().close();
            locks.tryAcquire(KEY, ofSeconds(1)).orElseThrow().close();
            result(locks.acquireAsync(KEY)).close();
            List<Lease> ran = new ArrayList<>();
            locks.run(KEY, ran::add);
            assertThat(locks.call(KEY, Lease::key)).isEqualTo(KEY);
            assertThat(locks.tryRun(KEY, ran::add)).isTrue();
            assertThat(locks.tryRun(KEY, ofSeconds(1), ran::add)).isTrue();

            assertThat(ran).hasSize(3).noneMatch(Lease::isHeld);
            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void requestCanBeKeptAndUsedAgain() {
            LockRequest<Lease> request = locks.with(KEY).leaseFor(ofSeconds(10));
            FencingToken first = request.call(Lease::token);
            FencingToken second = request.call(Lease::token);

            assertThat(second).isGreaterThan(first);
        }
    }

    @Nested
    class WhenTheLockIsBusy {
        private final Lease theirs = world.others().acquire(KEY);

        @Test
        void tryReturnsEmptyOrFalseAtOnce() {
            assertThat(locks.tryAcquire(KEY)).isEmpty();
            assertThat(locks.tryRun(KEY, lease -> {
                        throw new AssertionError("ran");
                    }))
                    .isFalse();
            assertThat(theirs.isHeld()).isTrue();
        }

        @Test
        void acquireWithoutPatienceNamesKeyHolderAndHoldTime() {
            world.advance(1_500);

            assertThatThrownBy(() -> locks.with(KEY).waitAtMost(ZERO).acquire())
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("\"inventory:sku-1\"")
                    .hasMessageContaining("held by theirs")
                    .hasMessageContaining("EXCLUSIVE")
                    .hasMessageContaining("for 1500 ms")
                    .hasMessageContaining(theirs.owner().toString());
        }

        @Test
        void timeoutMessageSaysHowLongTheRequestWaited() {
            PendingLease<Lease> asked = locks.with(KEY).waitAtMost(ofSeconds(2)).acquireAsync();
            world.advance(1_999);
            assertThat(isPending(asked)).isTrue();

            world.advance(1);

            assertThat(failure(asked))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("after 2000 ms")
                    .hasMessageContaining("held by theirs");
        }

        @Test
        void waitingTryReturnsEmptyAfterItsPatience() {
            Blocked<Optional<Lease>> trying = Blocked.in(() -> locks.tryAcquire(KEY, ofSeconds(2)));

            world.advance(2_000);

            assertThat(trying.result()).isEmpty();
        }

        @Test
        void waitingThreadGetsTheLockWhenItIsReleased() {
            Blocked<Lease> waiting = Blocked.in(() -> locks.acquire(KEY));

            theirs.close();

            assertThat(waiting.result().isHeld()).isTrue();
            assertThat(waiting.result().token()).isGreaterThan(theirs.token());
        }

        @Test
        void defaultPatienceIsFiveSeconds() {
            PendingLease<Lease> asked = locks.acquireAsync(KEY);
            world.advance(4_999);
            assertThat(isPending(asked)).isTrue();
            world.advance(1);
            assertThat(failure(asked)).isInstanceOf(LockTimeoutException.class);
        }

        @Test
        void waitThatEndedIsNeverGrantedLater() {
            PendingLease<Lease> asked = locks.acquireAsync(KEY);
            world.advance(5_000);

            theirs.close();
            world.advance(5_000);

            assertThat(failure(asked)).isInstanceOf(LockTimeoutException.class);
            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }
    }

    @Nested
    class WhenAnotherThreadOfTheProcessHoldsIt {
        @Test
        void messageNamesThisProcessAndHoldTime() {
            Lease own = locks.acquire(KEY);
            world.advance(1_500);
            Blocked<Lease> asked =
                    Blocked.in(() -> locks.with(KEY).waitAtMost(ZERO).acquire());

            assertThat(asked.failure())
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("held by this process, ours")
                    .hasMessageContaining(own.owner().toString())
                    .hasMessageContaining("for 1500 ms");
        }
    }

    @Nested
    class WhenInterrupted {
        @Test
        void interruptEndsTheWaitAndTheFlagStaysSet() {
            Lease theirs = world.others().acquire(KEY);
            Blocked<Boolean> waiting = Blocked.in(() -> {
                try {
                    locks.acquire(KEY);
                    return false;
                } catch (LockInterruptedException e) {
                    assertThat(e).hasMessageContaining("inventory:sku-1").hasMessageContaining("nothing is held");
                    return Thread.currentThread().isInterrupted();
                }
            });

            waiting.thread().interrupt();

            assertThat(waiting.result()).isTrue();
            theirs.close();
            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void interruptedThreadStillGetsAFreeLock() {
            Thread.currentThread().interrupt();
            try (Lease lease = locks.acquire(KEY)) {
                assertThat(lease.isHeld()).isTrue();
            }
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Nested
    class WhenCancelled {
        @Test
        void cancelEndsTheWaitOnce() {
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> asked = locks.acquireAsync(KEY);

            assertThat(asked.cancel()).isTrue();
            assertThat(asked.cancel()).isFalse();

            assertThat(failure(asked)).isInstanceOf(CancellationException.class);
            theirs.close();
            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void completingTheFutureAlsoEndsTheWait() {
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> first = locks.acquireAsync(KEY);
            PendingLease<Lease> second = locks.acquireAsync(KEY);
            first.toCompletableFuture().cancel(true);
            second.toCompletableFuture().completeExceptionally(new IllegalStateException("had enough"));

            theirs.close();

            assertThat(world.others().tryAcquire(KEY)).isPresent();
        }

        @Test
        void cancelAfterTheGrantHasNoEffect() {
            PendingLease<Lease> asked = locks.acquireAsync(KEY);

            assertThat(asked.cancel()).isFalse();

            assertThat(result(asked).isHeld()).isTrue();
        }
    }

    @Nested
    class WhenTheWorkThrows {
        @Test
        void checkedExceptionReachesTheCallerAndTheLockIsReleased() {
            assertThatThrownBy(() -> locks.run(KEY, lease -> {
                        throw new IOException("disk full");
                    }))
                    .isInstanceOf(IOException.class)
                    .hasMessage("disk full");
            assertThatThrownBy(() -> locks.<String, IOException>call(KEY, lease -> {
                        throw new IOException("disk full");
                    }))
                    .isInstanceOf(IOException.class);
            assertThat(locks.tryAcquire(KEY)).isPresent();
        }

        @Test
        void exceptionOfTheWorkIsNotHiddenByAFailedRelease() {
            assertThatThrownBy(() -> locks.run(KEY, lease -> {
                        world.wire.down(() -> StoreException.notSent("down", null));
                        Thread.currentThread().interrupt();
                        throw new IOException("disk full");
                    }))
                    .isInstanceOf(IOException.class)
                    .hasMessage("disk full");
            assertThat(Thread.interrupted()).isTrue();
        }

        @Test
        void exceptionOfTheWorkIsNotHiddenByALostLease() {
            assertThatThrownBy(() -> locks.with(KEY).renew(false).run(lease -> {
                        world.advance(31_000);
                        throw new IOException("disk full");
                    }))
                    .isInstanceOf(IOException.class);
        }
    }
}
