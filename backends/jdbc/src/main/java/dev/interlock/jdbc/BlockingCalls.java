package dev.interlock.jdbc;

import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Runs blocking calls on the engine's threads. A call that waited too long for a thread is not made. */
final class BlockingCalls {
    /** The engine waits this long for an answer. */
    private static final Duration MAX_QUEUED = Duration.ofSeconds(2);

    private final StoreContext context;

    BlockingCalls(StoreContext context) {
        this.context = context;
    }

    /** For attempts, heartbeats and reads. */
    <T> CompletionStage<T> ask(Supplier<T> answer) {
        return CompletableFuture.supplyAsync(inTime(answer), context.ordinary());
    }

    /** For renewals: they must not wait behind other calls, and must not be made for a lease that was given up. */
    <T> CompletionStage<T> renew(Supplier<T> answer) {
        return CompletableFuture.supplyAsync(inTime(answer), context.urgent());
    }

    /** For releases and withdrawals, which are made however late it is. */
    <T> CompletionStage<T> release(Supplier<T> answer) {
        return CompletableFuture.supplyAsync(answer, context.urgent());
    }

    /** While the database hangs, calls pile up whose callers have given up. They must not be made later. */
    private static <T> Supplier<T> inTime(Supplier<T> answer) {
        long submitted = System.nanoTime();
        return () -> {
            if (System.nanoTime() - submitted > MAX_QUEUED.toNanos()) {
                throw StoreException.notSent("Timed out in the local queue; not sent", null);
            }
            return answer.get();
        };
    }
}
