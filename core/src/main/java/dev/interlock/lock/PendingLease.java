package dev.interlock.lock;

import java.util.concurrent.CompletionStage;

/**
 * A lock that was asked for and is not decided yet.
 *
 * <p>It completes with the lease, or fails with one of the exceptions that {@link LockRequest#acquire()} throws.
 * Ending it early withdraws the wait, by {@link #cancel()} or by completing or cancelling
 * {@link #toCompletableFuture()}; a grant that crosses that is released at once, so a wait that has ended is never
 * granted later. Stages derived from it ({@code thenApply} and so on) are separate futures: cancelling one of
 * <em>those</em> does not withdraw the wait, and a lease that nobody closes then lives until the leak guard
 * notices.
 *
 * <p>Dependent stages run on a thread of Interlock's own, or on the caller's if the lock was free.
 */
public interface PendingLease<H extends Holding> extends CompletionStage<H> {
    /**
     * Withdraws the wait.
     *
     * @return true if the wait was ended by this call, false if it had been decided before
     */
    boolean cancel();
}
