package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.INTROSPECTION;
import static dev.interlock.testkit.Capability.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.InterlockClosedException;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.Locks;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Granted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A wait that has ended, for whatever reason, is never granted later: the lock is free for other requests. */
abstract class EndedWaitCases {
    /** Long enough for the attempt to reach a slow store. See {@link #untilItWaits}. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final TckCase tck;

    EndedWaitCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("ended");
    }

    private LockRequest<Lease> patient(Interlock interlock) {
        return interlock.locks().with(key()).waitAtMost(TckCase.LONG);
    }

    /** If the ended wait had been granted, the lock would stay busy for some time. */
    private void assertFreeAfterRelease(StoreProcess holder, Granted held) {
        if (tck.has(QUEUE) && tck.has(INTROSPECTION)) {
            tck.soon("the wait is withdrawn", () -> holder.waiters(key()) == 0);
            holder.release(held);
        } else {
            holder.release(held);
            tck.soon("the lock is free", () -> holder.isFree(key()));
        }
        holder.assertFree(key());
        tck.time().pass(Duration.ofMillis(50));
        holder.assertFree(key());
    }

    /**
     * If the wait ends while its attempt is in progress, the attempt may hold the lock until the engine returns it.
     */
    private void untilItWaits(StoreProcess holder) {
        if (tck.has(QUEUE) && tck.has(INTROSPECTION)) {
            tck.until("the request waits in the store", () -> holder.waiters(key()) == 1);
        } else {
            tck.time().pass(Duration.ofMillis(20));
        }
    }

    @Test
    void waitThatTimedOutIsNeverGranted() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Locks locks = tck.interlock().locks();
        CompletableFuture<Optional<Lease>> waiting = tck.thread(() -> locks.tryAcquire(key(), PATIENCE));
        assertThat(tck.outcome("the wait times out", waiting))
                .as("lease of a wait that timed out")
                .isEmpty();
        assertFreeAfterRelease(holder, held);
    }

    @Test
    void acquireThatTimedOutThrowsLockTimeoutException() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Locks locks = tck.interlock().locks();
        CompletableFuture<Lease> waiting =
                tck.thread(() -> locks.with(key()).waitAtMost(PATIENCE).acquire());
        assertThatThrownBy(() -> tck.outcome("the wait times out", waiting))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining(key().name());
        assertFreeAfterRelease(holder, held);
    }

    @Test
    void waitThatWasCancelledIsNeverGranted() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        PendingLease<Lease> pending = patient(tck.interlock()).acquireAsync();
        untilItWaits(holder);
        assertThat(pending.cancel()).as("the first cancel ends the wait").isTrue();
        assertThat(pending.cancel()).as("a second cancel ends a wait").isFalse();
        assertThat(pending.toCompletableFuture()).isCompletedExceptionally();
        assertFreeAfterRelease(holder, held);
    }

    @Test
    void waitWhoseFutureWasCompletedIsNeverGranted() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        PendingLease<Lease> pending = patient(tck.interlock()).acquireAsync();
        untilItWaits(holder);
        pending.toCompletableFuture().cancel(true);
        assertFreeAfterRelease(holder, held);
    }

    @Test
    void waitThatWasInterruptedIsNeverGranted() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        LockRequest<Lease> request = patient(tck.interlock());
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        CompletableFuture<Boolean> flagStaysSet = tck.thread(() -> {
            thread.complete(Thread.currentThread());
            try (Lease lease = request.acquire()) {
                throw new AssertionError("Granted with token " + lease.token());
            } catch (LockInterruptedException expected) {
                return Thread.interrupted();
            }
        });
        tck.until("the thread waits", () -> thread.isDone() && isBlocked(thread.join()));
        untilItWaits(holder);
        thread.join().interrupt();
        assertThat(tck.outcome("the wait has ended", flagStaysSet))
                .as("the thread's interrupt flag is set")
                .isTrue();
        assertFreeAfterRelease(holder, held);
    }

    private static boolean isBlocked(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void waitsOfAClosedInterlockAreNeverGranted() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Interlock interlock = tck.interlock();
        PendingLease<Lease> pending = patient(interlock).acquireAsync();
        CompletableFuture<Lease> blocked = tck.thread(() -> patient(interlock).acquire());
        tck.time().pass(Duration.ofMillis(20));
        interlock.close();
        assertThatThrownBy(() -> tck.outcome("the wait has ended", pending))
                .isInstanceOf(InterlockClosedException.class);
        assertThatThrownBy(() -> tck.outcome("the wait has ended", blocked))
                .isInstanceOf(InterlockClosedException.class);
        assertFreeAfterRelease(holder, held);
    }

    @Test
    void waitBehindALocalHolderThatTimedOutIsNeverGranted() {
        StoreProcess other = tck.process();
        Locks locks = tck.interlock().locks();
        Lease held = locks.acquire(key());
        PendingLease<Lease> brief =
                locks.with(key()).waitAtMost(Duration.ofMillis(50)).acquireAsync();
        assertThatThrownBy(() -> tck.outcome("the wait times out", brief)).isInstanceOf(LockTimeoutException.class);
        held.close();
        tck.soon("the lock is free", () -> other.isFree(key()));
    }

    @Test
    void cancelledWaitBehindALocalHolderIsPassedOver() {
        LockRequest<Lease> request = patient(tck.interlock());
        Lease held = request.acquire();
        PendingLease<Lease> first = request.acquireAsync();
        PendingLease<Lease> second = request.acquireAsync();
        assertThat(first.cancel()).as("cancel ends the wait").isTrue();
        held.close();
        Lease lease = tck.outcome("the second waiter is granted", second);
        assertThat(lease.isHeld()).as("the second waiter holds the lock").isTrue();
        assertThat(first.toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void grantThatCrossesACancellationIsHandedOverAtOnce() {
        LockRequest<Lease> request = patient(tck.interlock());
        StoreProcess holder = tck.process();
        for (int round = 0; round < tck.kit().rounds(); round++) {
            Granted held = soonGranted(holder);
            PendingLease<Lease> pending = request.acquireAsync();
            CompletableFuture<Boolean> releasing = tck.thread(() -> {
                holder.release(held);
                return true;
            });
            boolean cancelled = pending.cancel();
            tck.outcome("the holder has released", releasing);
            if (!cancelled) {
                tck.outcome("the grant came before the cancellation", pending).close();
            }
            tck.soon("the lock is free", () -> holder.isFree(key()));
        }
    }

    @Test
    void grantThatCrossesATimeoutIsHandedOverAtOnce() {
        LockRequest<Lease> request = tck.interlock().locks().with(key());
        StoreProcess holder = tck.process();
        for (int round = 0; round < tck.kit().rounds(); round++) {
            Granted held = soonGranted(holder);
            CompletableFuture<Optional<Lease>> waiting = tck.thread(() -> tryBriefly(request));
            tck.time().pass(Duration.ofMillis(round % 4));
            holder.release(held);
            tck.outcome("the wait has ended", waiting).ifPresent(Lease::close);
            tck.soon("the lock is free", () -> holder.isFree(key()));
        }
    }

    /**
     * The attempt of an ended wait may reach the store after the lock was seen free. The engine then returns it just as
     * soon.
     */
    private Granted soonGranted(StoreProcess process) {
        List<Granted> had = new ArrayList<>();
        tck.soon("the lock can be acquired", () -> {
            if (process.ask(key()).send() instanceof AttemptAnswer.All all) {
                had.addAll(all.granted());
            }
            return !had.isEmpty();
        });
        return had.get(0);
    }

    /**
     * Two milliseconds may be shorter than one round trip to the store. Then the correct outcome is that no answer
     * came.
     */
    private static Optional<Lease> tryBriefly(LockRequest<Lease> request) {
        try {
            return request.tryAcquire(Duration.ofMillis(2));
        } catch (StoreUnavailableException noAnswerYet) {
            return Optional.empty();
        }
    }
}
