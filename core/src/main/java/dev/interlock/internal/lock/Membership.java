package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The agreement of this process with its namespace on protocol version and lock order. Without it nothing is granted.
 *
 * <p>A process joins when Interlock is opened or, if the store cannot be reached then, before its first attempt.
 */
final class Membership {
    /** How many times the namespace agreement may change while this process joins, before it gives up for now. */
    private static final int MAX_ROUNDS = 16;

    private final EngineRuntime runtime;
    private final Supplier<LockStore> store;
    private final Map<String, Integer> ranks;
    private volatile boolean joined;

    Membership(EngineRuntime runtime, Supplier<LockStore> store, Map<String, Integer> ranks) {
        this.runtime = runtime;
        this.store = store;
        this.ranks = ranks;
    }

    boolean isJoined() {
        return joined;
    }

    /** Joins while the caller waits. An unreachable store is logged and does not prevent the start. */
    void joinNow(Duration limit) {
        try {
            join().toCompletableFuture().get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreException refused && refused.kind() == StoreException.Kind.REFUSED) {
                throw new LockRefusedException(String.valueOf(refused.getMessage()));
            }
            logUnreachable(e);
        } catch (TimeoutException e) {
            logUnreachable(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            logUnreachable(e);
        }
    }

    private void logUnreachable(Throwable why) {
        runtime.log().log(
                System.Logger.Level.WARNING,
                runtime.storeName() + " cannot be reached yet; locks are refused until it can",
                why);
    }

    CompletionStage<Boolean> join() {
        return round("", new NamespaceAgreement(List.of()), MAX_ROUNDS);
    }

    private CompletionStage<Boolean> round(String known, NamespaceAgreement agreement, int left) {
        Optional<String> conflict = agreement.conflictWith(ranks);
        if (conflict.isPresent()) {
            return CompletableFuture.failedFuture(
                    StoreException.refused("This process declares another lock order: " + conflict.get()
                            + ". Use the same order everywhere; to change it, stop every process"
                            + " and remove the namespace's stored agreement"));
        }
        NamespaceAgreement extended = agreement.with(ranks);
        if (!extended.equals(agreement) && agreement.isFull()) {
            return CompletableFuture.failedFuture(
                    StoreException.refused("The namespace has too many different lock orders already:"
                            + " declare one order that all services share"));
        }
        String proposed = extended.text();
        return store.get().agree(known, proposed).thenCompose(stored -> {
            if (stored.equals(proposed)) {
                joined = true;
                return CompletableFuture.completedFuture(true);
            }
            if (left == 0) {
                return CompletableFuture.failedFuture(
                        StoreException.unknown("The namespace agreement keeps changing", null));
            }
            try {
                return round(stored, NamespaceAgreement.parse(stored), left - 1);
            } catch (NamespaceAgreement.UnknownVersion e) {
                throw new CompletionException(StoreException.refused(
                        "This process cannot join: " + e.getMessage() + ". Upgrade the older side"));
            }
        });
    }
}
