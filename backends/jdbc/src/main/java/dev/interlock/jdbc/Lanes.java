package dev.interlock.jdbc;

import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The engine's threads for blocking calls, and how late a call may be made. */
final class Lanes {
    /** As long as the engine waits for an answer. */
    static final Duration LONGEST_TURN = Duration.ofSeconds(2);

    /** Releases and withdrawals are made however late it is: they make room. */
    static final Duration ANY_TURN = Duration.ofDays(1);

    private final StoreContext context;

    Lanes(StoreContext context) {
        this.context = context;
    }

    Executor ordinary() {
        return context.ordinary();
    }

    Executor urgent() {
        return context.urgent();
    }

    /** For how long a statement may be made on the calling thread, whose caller waits for it; mostly zero. */
    Duration here() {
        return context.takeThread();
    }

    /** For questions. */
    <T> CompletionStage<T> ask(Supplier<T> answer) {
        return CompletableFuture.supplyAsync(inTime(answer), context.ordinary());
    }

    /** For renewals, which must not wait behind questions, and must not be made for a lease that has been given up. */
    <T> CompletionStage<T> renew(Supplier<T> answer) {
        return CompletableFuture.supplyAsync(inTime(answer), context.urgent());
    }

    /** For what makes room for others. */
    <T> CompletionStage<T> free(Supplier<T> answer) {
        return CompletableFuture.supplyAsync(answer, context.urgent());
    }

    /** While the database hangs, work piles up whose askers have given up: it must not be done when nobody wants it any more. */
    private static <T> Supplier<T> inTime(Supplier<T> answer) {
        long asked = System.nanoTime();
        return () -> {
            if (System.nanoTime() - asked > LONGEST_TURN.toNanos()) {
                throw StoreException.notSent("It was not this request's turn for too long, so it was not sent", null);
            }
            return answer.get();
        };
    }
}
