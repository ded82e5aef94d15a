package dev.interlock.lock;

import java.util.concurrent.CompletionStage;

/**
 * The result of an asynchronous request: a stage that completes with the lease.
 *
 * <p>It fails with one of the exceptions that {@link LockRequest} lists. The caller must close the lease.
 *
 * <p>To withdraw the wait, call {@link #cancel()}, or cancel or complete {@link #toCompletableFuture()}. If the store
 * grants the lock at the same time, Interlock releases it at once, so a wait that has ended is never granted later.
 * Derived stages ({@code thenApply} and so on) are separate futures. Cancelling one of <em>those</em> does not withdraw
 * the wait, and the lease is held until it is closed or Interlock detects the leak.
 *
 * <p>Dependent stages run on a thread of Interlock, or on the calling thread if the lock was free.
 *
 * @param <H> {@link Lease} for one key, {@link LeaseSet} for several
 * @since 0.1.0
 */
public interface PendingLease<H extends Holding> extends CompletionStage<H> {
    /**
     * Withdraws the wait.
     *
     * @return true if this call ended the wait; false if it had already ended
     */
    boolean cancel();
}
