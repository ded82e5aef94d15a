package dev.interlock.internal.lock;

import dev.interlock.lock.Holding;
import dev.interlock.lock.PendingLease;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous request as its caller sees it.
 *
 * <p>However it is completed, that ends the wait: if the engine did not complete it, the wait is withdrawn, and a lease that comes
 * nevertheless is released at once.
 */
final class PendingRight<H extends Holding> extends CompletableFuture<H> implements PendingLease<H> {
    private final Engine engine;
    private final Class<H> kind;
    private final Thread startingThread = Thread.currentThread();
    private volatile boolean starting = true;

    PendingRight(Engine engine, Class<H> kind) {
        this.engine = engine;
        this.kind = kind;
    }

    /** Starts the wait on the calling thread, which nobody else's code has seen yet. */
    void start(Waiter started) {
        started.start();
        starting = false;
        var unused = whenComplete((lease, error) -> started.cancel());
    }

    void settle(@Nullable HeldRight right, @Nullable RuntimeException why) {
        if (starting && Thread.currentThread() == startingThread) {
            finish(right, why);
        } else {
            // Dependent stages are the user's code: not on a driver's or the deadline thread.
            engine.completions().execute(() -> finish(right, why));
        }
    }

    private void finish(@Nullable HeldRight right, @Nullable RuntimeException why) {
        boolean taken = right != null
                ? complete(kind.cast(right))
                : completeExceptionally(why != null ? why : new IllegalStateException());
        if (!taken && right != null) {
            right.releaseAsync();
        }
    }

    @Override
    public boolean cancel() {
        return completeExceptionally(new CancellationException("The wait was cancelled"));
    }
}
