package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Holding;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease as its holder sees it.
 *
 * <p>Closing and loss are decided by one compare-and-set, which also decides whether the holder's thread is
 * interrupted. The engine refers to a lease only weakly, see {@link LeaseRef}.
 */
abstract class LeaseHandle implements Holding {
    private enum State {
        HELD,
        CLOSED,
        LOST,
        /** Lost, and the holder's thread is being interrupted. */
        INTERRUPTING
    }

    /** Refers to its lease strongly: code that waits for the loss of a lease has not dropped it. */
    private static final class LossFuture extends CompletableFuture<LossReason> {
        @SuppressWarnings({"unused", "FieldCanBeLocal"})
        private final LeaseHandle lease;

        LossFuture(LeaseHandle lease) {
            this.lease = lease;
        }
    }

    private static final AtomicReferenceFieldUpdater<LeaseHandle, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(LeaseHandle.class, State.class, "state");

    @SuppressWarnings("rawtypes") // a class literal has no type arguments
    private static final AtomicReferenceFieldUpdater<LeaseHandle, @Nullable CompletableFuture> LOSS =
            AtomicReferenceFieldUpdater.newUpdater(LeaseHandle.class, CompletableFuture.class, "loss");

    private final @Nullable Thread interruptee;
    private final LeaseRef ref;
    private volatile State state = State.HELD;
    // Created on demand: most leases are closed without a loss callback.
    private volatile @Nullable CompletableFuture<LossReason> loss;

    LeaseHandle(
            ReferenceQueue<LeaseHandle> dropped,
            Hold hold,
            @Nullable EngineScope scope,
            @Nullable Thread interruptee,
            List<StackTraceElement> acquiredAt) {
        this.interruptee = interruptee;
        this.ref = new LeaseRef(this, dropped, hold, scope, acquiredAt);
    }

    final Hold hold() {
        return ref.hold;
    }

    private HoldServices services() {
        return ref.hold.services();
    }

    private EngineRuntime runtime() {
        return services().runtime();
    }

    /**
     * Adds the lease to its hold and scope. A hold that was lost just before did not know this lease, so it is
     * checked here.
     */
    final void begin() {
        Hold hold = ref.hold;
        hold.add(ref);
        if (ref.scope != null) {
            ref.scope.add(hold);
        }
        if (!hold.isLive()) {
            lost(hold.lossReason());
            if (ref.scope != null) {
                ref.scope.remove(hold);
            }
        }
    }

    /** Notifies the holder of the loss. */
    final void lost(LossReason reason) {
        State to = interruptee == null ? State.LOST : State.INTERRUPTING;
        if (!STATE.compareAndSet(this, State.HELD, to)) {
            return;
        }
        if (interruptee != null) {
            interruptee.interrupt();
            state = State.LOST;
        }
        runtime().threads().callbacks().execute(() -> lossSignal().complete(reason));
    }

    private CompletableFuture<LossReason> lossSignal() {
        CompletableFuture<LossReason> signal = loss;
        if (signal == null) {
            signal = new CompletableFuture<>();
            if (!LOSS.compareAndSet(this, null, signal)) {
                signal = Objects.requireNonNull(loss);
            }
        }
        return signal;
    }

    @Override
    public final void onLost(Consumer<LossReason> callback) {
        Objects.requireNonNull(callback, "callback is null: pass the code to run when the lease is lost");
        CompletableFuture<LossReason> signal = lossSignal();
        var unused = signal.thenAcceptAsync(
                reason -> {
                    try {
                        callback.accept(reason);
                    } catch (RuntimeException e) {
                        runtime()
                                .log()
                                .log(
                                        System.Logger.Level.WARNING,
                                        "A callback for the loss of " + hold().keys() + " failed",
                                        e);
                    }
                },
                runtime().threads().callbacks());
    }

    @Override
    public final CompletionStage<LossReason> lost() {
        LossFuture future = new LossFuture(this);
        var unused = lossSignal().thenAccept(future::complete);
        return future;
    }

    @Override
    public final boolean isHeld() {
        return remainingNanos() > 0;
    }

    @Override
    public final Duration remaining() {
        return Duration.ofNanos(remainingNanos());
    }

    private long remainingNanos() {
        if (state != State.HELD) {
            return 0;
        }
        long remaining = hold().remainingNanos(runtime().now());
        if (remaining == 0 && hold().isLive()) {
            // From now on it must never be valid again, not even through a renewal whose answer arrives right now.
            hold().expireNow();
        }
        return remaining;
    }

    @Override
    public final void ensureHeld() {
        runtime().noticeSuspend();
        State now = state;
        if (now == State.CLOSED) {
            throw new IllegalStateException(
                    "The lease on " + hold().keys() + " is closed: do the work before closing it");
        }
        if (remainingNanos() == 0) {
            throw lostException();
        }
    }

    final LeaseLostException lostException() {
        return new LeaseLostException(
                hold().grant(0).key(), hold().grant(0).owner(), firstToken(), hold().lossReason());
    }

    abstract FencingToken firstToken();

    @Override
    public final Duration renew(Duration atLeast) {
        Objects.requireNonNull(atLeast, "atLeast is null: give a Duration");
        if (atLeast.compareTo(LockSettings.MIN_LEASE) < 0 || atLeast.compareTo(LockSettings.MAX_LEASE) > 0) {
            throw new IllegalArgumentException("A renewal for " + atLeast + ": choose a duration between "
                    + LockSettings.MIN_LEASE + " and " + LockSettings.MAX_LEASE);
        }
        ensureHeld();
        return services().renewNow(this, atLeast);
    }

    @Override
    public final CompletionStage<ReleaseResult> releaseAsync() {
        return startRelease(false).minimalCompletionStage();
    }

    @Override
    public final ReleaseResult release() {
        long giveUpAt = System.nanoTime() + services().releaseNanos();
        return await(startRelease(true), giveUpAt);
    }

    /** Waits for the outcome at most until the given time. An interrupt does not end the wait and stays set. */
    private static ReleaseResult await(CompletableFuture<ReleaseResult> result, long giveUpAt) {
        if (result.isDone()) {
            return result.join();
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get(giveUpAt - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException | ExecutionException e) {
                    return ReleaseResult.UNKNOWN;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * @param callerWaits whether the calling thread waits for the outcome
     */
    private CompletableFuture<ReleaseResult> startRelease(boolean callerWaits) {
        boolean closes = STATE.compareAndSet(this, State.HELD, State.CLOSED);
        while (state == State.INTERRUPTING) {
            Thread.onSpinWait();
        }
        if (closes) {
            ref.clear();
            return services().release(this, ref, callerWaits);
        }
        if (STATE.compareAndSet(this, State.LOST, State.CLOSED) && interruptee == Thread.currentThread()) {
            // The interrupt is from this lease and was not consumed. It must not reach what this thread does next.
            Thread.interrupted();
        }
        return CompletableFuture.completedFuture(ReleaseResult.ALREADY_ENDED);
    }

    @Override
    public final void close() {
        boolean wasLost = state == State.LOST;
        ReleaseResult result = release();
        if (result == ReleaseResult.UNKNOWN || wasLost) {
            runtime()
                    .log()
                    .log(
                            wasLost ? System.Logger.Level.WARNING : System.Logger.Level.INFO,
                            "Closing the lease on {0}: {1}",
                            hold().keys(),
                            wasLost
                                    ? "it was lost before: "
                                            + hold().lossReason().sentence()
                                    : "the store did not answer; the lock is free at the latest when the lease ends");
        }
    }
}
