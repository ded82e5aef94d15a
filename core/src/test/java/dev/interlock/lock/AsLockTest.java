package dev.interlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.support.Blocked;
import dev.interlock.support.TwoProcesses;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A key as a {@link Lock}. */
@SuppressWarnings("LockNotBeforeTry") // locking and unlocking are what is tested
class AsLockTest {
    private static final LockKey KEY = LockKey.of("k");

    private final TwoProcesses world = new TwoProcesses();
    private final Lock lock = world.locks().asLock(KEY);

    @AfterEach
    void close() {
        world.close();
    }

    private boolean isFree() {
        var tried = world.others().tryAcquire(KEY);
        tried.ifPresent(Lease::close);
        return tried.isPresent();
    }

    @Nested
    class WhenFree {
        @Test
        void lockAndUnlock() {
            lock.lock();
            assertThat(isFree()).isFalse();

            lock.unlock();

            assertThat(isFree()).isTrue();
        }

        @Test
        void reentryNeedsAsManyUnlocks() throws InterruptedException {
            lock.lock();
            lock.lockInterruptibly();
            assertThat(lock.tryLock()).isTrue();
            assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
            assertThat(world.locks().asLock(KEY).tryLock())
                    .as("another object of the same thread")
                    .isTrue();

            for (int i = 0; i < 4; i++) {
                lock.unlock();
            }
            assertThat(isFree()).isFalse();
        }

        @Test
        void wrongThreadCannotUnlock() {
            lock.lock();
            Blocked<Object> other = Blocked.in(() -> {
                lock.unlock();
                return "unlocked";
            });

            assertThat(other.failure())
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasMessageContaining("\"k\" is not locked by thread blocked");
            assertThat(isFree()).isFalse();
        }

        @Test
        void unlockWithoutLockIsRefused() {
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        }

        @Test
        void conditionsAreNotSupported() {
            assertThatThrownBy(lock::newCondition)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("no conditions");
            assertThat(lock.toString()).contains("k");
        }

        @Test
        void unlockOfALostLeaseEndsOwnershipAndThrows() {
            lock.lock();
            world.wire.listener().sessionLost(LossReason.SESSION_LOST);

            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);

            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            lock.lock();
            lock.unlock();
        }
    }

    @Nested
    class WhenBusy {
        private final Lease theirs = world.others().acquire(KEY);

        @Test
        void tryLockReturnsFalse() throws InterruptedException {
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isFalse();
            assertThat(lock.tryLock(-5, TimeUnit.SECONDS)).isFalse();
        }

        @Test
        void tryLockWithTheLongestTimeoutWaits() {
            Blocked<Boolean> waiting = Blocked.in(() -> lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS));

            theirs.close();

            assertThat(waiting.result()).isTrue();
        }

        @Test
        void lockThrowsAfterTheDefaultPatience() {
            Blocked<Object> waiting = Blocked.in(() -> {
                lock.lock();
                return "locked";
            });

            world.advance(5_000);

            assertThat(waiting.failure()).isInstanceOf(LockTimeoutException.class);
        }

        @Test
        void interruptDoesNotEndLockAndTheFlagStaysSet() {
            Blocked<Boolean> waiting = Blocked.in(() -> {
                lock.lock();
                boolean interrupted = Thread.currentThread().isInterrupted();
                lock.unlock();
                return interrupted;
            });
            waiting.thread().interrupt();
            waiting.awaitBlocked();

            theirs.close();

            assertThat(waiting.result()).isTrue();
        }

        @Test
        void interruptEndsLockInterruptibly() {
            Blocked<Object> waiting = Blocked.in(() -> {
                lock.lockInterruptibly();
                return "locked";
            });

            waiting.thread().interrupt();

            assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
        }

        @Test
        void interruptEndsAWaitingTryLockAndTheFlagIsCleared() {
            Blocked<Boolean> waiting = Blocked.in(() -> {
                try {
                    lock.tryLock(1, TimeUnit.MINUTES);
                    return true;
                } catch (InterruptedException e) {
                    return Thread.currentThread().isInterrupted();
                }
            });

            waiting.thread().interrupt();

            assertThat(waiting.result()).isFalse();
        }
    }
}
