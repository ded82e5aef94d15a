package dev.interlock.internal.lock;

import dev.interlock.lock.Holding;
import dev.interlock.lock.PendingLease;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous request as its caller sees it.
 *
 * <p>Completing it ends the wait. If the caller completed it, the wait is withdrawn, and a lease that arrives
 * afterwards is released at once.
 */
final class PendingHandle<H extends Holding> extends CompletableFuture<H> implements PendingLease<H> {
    private final Executor completions;
    private final Class<H> kind;
    private final Thread startingThread = Thread.currentThread();
    private volatile boolean starting = true;

    /**
     * @param completions runs the dependent stages, which are code of the application
     */
    PendingHandle(Executor completions, Class<H> kind) {
        this.completions = completions;
        this.kind = kind;
    }

    /** Starts the wait on the calling thread, which does not run code of the application in between. */
    void start(Runnable startWait, Runnable cancelWait) {
        startWait.run();
        starting = false;
        var unused = whenComplete((lease, error) -> cancelWait.run());
    }

    void settle(@Nullable LeaseHandle lease, @Nullable RuntimeException why) {
        if (starting && Thread.currentThread() == startingThread) {
            finish(lease, why);
        } else {
            // Not on a driver's thread or the deadline thread: dependent stages are code of the application.
            completions.execute(() -> finish(lease, why));
        }
    }

    private void finish(@Nullable LeaseHandle lease, @Nullable RuntimeException why) {
        boolean taken = lease != null
                ? complete(kind.cast(lease))
                : completeExceptionally(why != null ? why : new IllegalStateException());
        if (!taken && lease != null) {
            lease.releaseAsync();
        }
    }

    @Override
    public boolean cancel() {
        return completeExceptionally(new CancellationException("The wait was cancelled"));
    }
}
