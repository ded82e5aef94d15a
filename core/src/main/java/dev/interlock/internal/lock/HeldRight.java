package dev.interlock.internal.lock;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Holding;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease as its holder sees it.
 *
 * <p>Whether it is closed or lost is one compare-and-set; that step also decides whether the holder's thread is interrupted.
 * The engine refers to it weakly only.
 */
abstract class HeldRight implements Holding {
    private enum State {
        HELD,
        CLOSED,
        LOST,
        /** Lost, and the holder's thread is being interrupted right now. */
        INTERRUPTING
    }

    /** Keeps its lease alive: whoever waits for the loss of a lease has not dropped it. */
    private static final class LossFuture extends CompletableFuture<LossReason> {
        @SuppressWarnings({"unused", "FieldCanBeLocal"})
        private final HeldRight keptAlive;

        LossFuture(HeldRight keptAlive) {
            this.keptAlive = keptAlive;
        }
    }

    private static final AtomicReferenceFieldUpdater<HeldRight, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(HeldRight.class, State.class, "state");

    @SuppressWarnings("rawtypes") // a class literal has no type arguments
    private static final AtomicReferenceFieldUpdater<HeldRight, @Nullable CompletableFuture> LOSS =
            AtomicReferenceFieldUpdater.newUpdater(HeldRight.class, CompletableFuture.class, "loss");

    private final @Nullable Thread interruptee;
    private final LeaseRef ref;
    private volatile State state = State.HELD;
    // Only made when somebody wants to hear of a loss: most leases are closed without.
    private volatile @Nullable CompletableFuture<LossReason> loss;

    HeldRight(
            Engine engine,
            Hold hold,
            @Nullable EngineScope scope,
            @Nullable Thread interruptee,
            List<StackTraceElement> acquiredAt) {
        this.interruptee = interruptee;
        this.ref = engine.leaks().watch(this, hold, scope, acquiredAt);
    }

    final Hold hold() {
        return ref.hold;
    }

    private Engine engine() {
        return ref.hold.engine();
    }

    /** Makes the lease known to its hold and scope. A hold that was lost in between has told only those it knew. */
    final void begin() {
        Hold hold = ref.hold;
        hold.serve(ref);
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

    /** Tells the holder that it is over. */
    final void lost(LossReason reason) {
        State to = interruptee == null ? State.LOST : State.INTERRUPTING;
        if (!STATE.compareAndSet(this, State.HELD, to)) {
            return;
        }
        if (interruptee != null) {
            interruptee.interrupt();
            state = State.LOST;
        }
        engine().callbacks().execute(() -> lossSignal().complete(reason));
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
        Objects.requireNonNull(callback, "callback is null: give what to do when the lease is lost");
        CompletableFuture<LossReason> signal = lossSignal();
        var unused = signal.thenAcceptAsync(
                reason -> {
                    try {
                        callback.accept(reason);
                    } catch (RuntimeException e) {
                        engine().log()
                                .log(
                                        System.Logger.Level.WARNING,
                                        "A callback for the loss of " + hold().keys() + " failed",
                                        e);
                    }
                },
                engine().callbacks());
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
        long remaining = hold().remainingNanos(engine().now());
        if (remaining == 0 && hold().isLive()) {
            // Nobody may see it valid again, not even by a renewal that is being answered right now.
            hold().expireNow();
        }
        return remaining;
    }

    @Override
    public final void ensureHeld() {
        engine().noticeSuspend();
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
        return engine().renewNow(this, atLeast);
    }

    @Override
    public final CompletionStage<ReleaseResult> releaseAsync() {
        return startRelease(false).minimalCompletionStage();
    }

    @Override
    public final ReleaseResult release() {
        long giveUpAt = System.nanoTime() + engine().settings().releaseWithin().toNanos();
        return engine().releases().await(startRelease(true), giveUpAt);
    }

    /** With or without this thread waiting for the answer. */
    private CompletableFuture<ReleaseResult> startRelease(boolean waits) {
        boolean closes = STATE.compareAndSet(this, State.HELD, State.CLOSED);
        while (state == State.INTERRUPTING) {
            Thread.onSpinWait();
        }
        if (closes) {
            ref.clear();
            return engine().releases().release(this, ref, waits);
        }
        if (STATE.compareAndSet(this, State.LOST, State.CLOSED) && interruptee == Thread.currentThread()) {
            // Ours, and not consumed: it must not hit what this thread does next.
            Thread.interrupted();
        }
        return CompletableFuture.completedFuture(ReleaseResult.ALREADY_ENDED);
    }

    @Override
    public final void close() {
        boolean wasLost = state == State.LOST;
        ReleaseResult result = release();
        if (result == ReleaseResult.UNKNOWN || wasLost) {
            engine().log()
                    .log(
                            wasLost ? System.Logger.Level.WARNING : System.Logger.Level.INFO,
                            "Closing the lease on {0}: {1}",
                            hold().keys(),
                            wasLost
                                    ? "it was lost before, "
                                            + hold().lossReason().sentence()
                                    : "the store did not answer; the lock is free at the latest when the lease ends");
        }
    }
}
