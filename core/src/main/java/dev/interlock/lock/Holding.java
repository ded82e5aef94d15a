package dev.interlock.lock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * What {@link Lease} and {@link LeaseSet} have in common: the right to one or more locks until a deadline.
 *
 * <p>The object is the owner. It does not belong to a thread: any thread may use and close it. Close it to release the
 * lock, best with try-with-resources. If the process dies, the lock is free when its lease ends. If the object becomes
 * unreachable without being closed, Interlock logs the leak and stops renewing the lease.
 *
 * <p><b>Expiry.</b> A lease is valid until a local deadline, which lies safely before the moment at which the store
 * would grant the lock to another request. Each confirmed renewal moves the deadline. If the deadline passes, the lease
 * is lost, even if the network is silent: callbacks run, {@link #lost()} completes, {@link #isHeld()} returns false and
 * {@link #ensureHeld()} throws. A process that was paused beyond the deadline finds out in its first call afterwards.
 * What it sent before may still arrive late, so the resource must check the {@linkplain FencingToken token}.
 *
 * <p><b>Lost connection.</b> If the store does not answer, Interlock repeats the renewal until the deadline. A lease
 * survives every outage that is shorter than its {@linkplain #remaining() remaining time}.
 *
 * <p><b>Interruption.</b> An interrupt does not end a lease.
 *
 * <p>Thread-safe. Only Interlock implements it.
 *
 * @since 0.1.0
 */
public interface Holding extends AutoCloseable {
    /**
     * Returns whether the lease is neither closed nor lost, by the local deadline. The answer can be outdated when you
     * use it, so do not rely on it for a write: send the token.
     */
    boolean isHeld();

    /** Returns how long the lease is valid without another renewal; zero if it is lost or closed. */
    Duration remaining();

    /**
     * Throws an exception unless the lease is valid now. Also detects that the host was suspended. This is cheap: it
     * does not call the store.
     *
     * @throws LeaseLostException if the lease is lost; the exception has the reason
     * @throws IllegalStateException if the lease was closed
     */
    void ensureHeld();

    /**
     * Registers a callback that runs once when the lease is lost. It runs at once if the lease is already lost, and
     * never if the lease is closed first.
     *
     * <p>Callbacks run one after another on a thread of Interlock, never on a thread of a driver. They must not block
     * for long. An exception that a callback throws is logged.
     */
    void onLost(Consumer<LossReason> callback);

    /**
     * Returns a stage that completes with the reason when the lease is lost. It never completes if the lease is closed
     * first.
     */
    CompletionStage<LossReason> lost();

    /**
     * Extends the lease now, with one call to the store, so that it lasts at least the given time from now. Renewal
     * never shortens a lease and never extends it beyond the
     * {@linkplain LockSettings#holdAtMost(Duration) maximum hold}.
     *
     * @return how long the lease is valid now
     * @throws LeaseLostException if the lease is lost
     * @throws StoreUnavailableException if the store did not answer; the lease keeps its old deadline
     * @throws LockInterruptedException if the thread was interrupted; the lease stays valid
     * @throws IllegalStateException if the lease was closed
     * @throws IllegalArgumentException if the duration is shorter than {@link LockSettings#MIN_LEASE} or longer than
     *     {@link LockSettings#MAX_LEASE}
     */
    Duration renew(Duration atLeast);

    /**
     * Releases the lock, waits for the answer of the store and returns the outcome.
     *
     * <p>The wait is limited by {@code Interlock.Builder.releaseWithin}, by default 2 s. An interrupt does not shorten
     * it, and the interrupt flag stays set. A second call returns {@link ReleaseResult#ALREADY_ENDED}.
     */
    ReleaseResult release();

    /** Releases the lock without blocking. The stage completes with the outcome and never fails. */
    CompletionStage<ReleaseResult> releaseAsync();

    /**
     * Releases the lock like {@link #release()}. Logs a message if the lease was lost before, or if the outcome is
     * {@link ReleaseResult#UNKNOWN}. Never throws.
     */
    @Override
    void close();
}
