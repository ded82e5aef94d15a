package dev.interlock.lock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A right that ends: what {@link Lease} and {@link LeaseSet} have in common.
 *
 * <p>The object is the owner. It is not tied to a thread: any thread may use and close it. Closing releases
 * the lock; a lock that is not closed ends by itself after its lease, and a lease object that is dropped
 * unclosed is reported and no longer renewed.
 *
 * <p><b>Loss.</b> A lease is valid until a local deadline that lies safely before the moment the store would
 * give the lock to somebody else. Renewals move the deadline. When it passes without a confirmed renewal,
 * the lease is lost, whatever the network does: callbacks run, {@link #lost()} completes,
 * {@link #isHeld()} turns false and {@link #ensureHeld()} throws. A process that was paused past the deadline
 * learns of it at its first step afterwards. What it had already sent may still arrive late, so the resource
 * must check the {@linkplain FencingToken token}.
 *
 * <p><b>Lost connection.</b> While the store does not answer, renewal is retried until the deadline; a lease
 * survives any outage that is shorter than what remains of it.
 *
 * <p>Thread-safe. Not meant to be implemented outside Interlock.
 */
public interface Holding extends AutoCloseable {
    /** Whether the lease is neither closed nor lost, by the local deadline. A snapshot: for a decision, send the token. */
    boolean isHeld();

    /** How long the lease is still valid without another renewal; zero once it is lost or closed. */
    Duration remaining();

    /**
     * Throws unless the lease is valid now; also notices a suspended host. Cheap, makes no store call.
     *
     * @throws LeaseLostException if it is lost, with the reason
     * @throws IllegalStateException if it was closed
     */
    void ensureHeld();

    /**
     * Calls back once when the lease is lost; at once if it is lost already, never if it is closed first.
     * Callbacks run one after another on a thread of Interlock's own, never on a driver's thread.
     */
    void onLost(Consumer<LossReason> callback);

    /** Completes with the reason when the lease is lost; never completes if it is closed first. */
    CompletionStage<LossReason> lost();

    /**
     * Extends the lease now, in one store call, so that it lasts at least the given time from now, but not past a maximum
     * hold time. Never shortens it.
     *
     * @return how long the lease is valid now
     * @throws LeaseLostException if it is lost
     * @throws StoreUnavailableException if no answer came; the lease goes on until its old deadline
     * @throws LockInterruptedException if the thread was interrupted; the lease goes on
     */
    Duration renew(Duration atLeast);

    /**
     * Releases and says what happened. Waits for the store's answer, at most the release budget; an interrupt
     * does not cut this short and stays set. A second call gives {@link ReleaseResult#ALREADY_ENDED}.
     */
    ReleaseResult release();

    /** Releases without waiting for the answer. The stage never fails. */
    CompletionStage<ReleaseResult> releaseAsync();

    /** Like {@link #release()}, with a log line if the outcome is not plain. Never throws. */
    @Override
    void close();
}
