package dev.interlock.internal.lock;

import dev.interlock.lock.LockRefusedException;
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

/**
 * This process's agreement with the namespace on protocol version and lock order; nothing is granted without it.
 *
 * <p>Made when Interlock is opened, or, if the store cannot be reached then, before the first attempt.
 */
final class Membership {
    /** So often the terms may change under our hands before we give up for now. */
    private static final int ROUNDS = 16;

    private final Engine engine;
    private final Map<String, Integer> ranks;
    private volatile boolean joined;

    Membership(Engine engine, Map<String, Integer> ranks) {
        this.engine = engine;
        this.ranks = ranks;
    }

    boolean isJoined() {
        return joined;
    }

    /** Joins while the caller waits; an unreachable store is no reason not to start. */
    void joinNow(Duration limit) {
        try {
            join().toCompletableFuture().get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreException refused && refused.kind() == StoreException.Kind.REFUSED) {
                throw new LockRefusedException(String.valueOf(refused.getMessage()));
            }
            later(e);
        } catch (TimeoutException e) {
            later(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            later(e);
        }
    }

    private void later(Throwable why) {
        engine.log().log(
                System.Logger.Level.WARNING,
                engine.storeName() + " cannot be reached yet; locks are refused until it can",
                why);
    }

    CompletionStage<Boolean> join() {
        return round("", new NamespaceTerms(List.of()), ROUNDS);
    }

    private CompletionStage<Boolean> round(String known, NamespaceTerms terms, int left) {
        Optional<String> conflict = terms.conflictWith(ranks);
        if (conflict.isPresent()) {
            return CompletableFuture.failedFuture(
                    StoreException.refused(
                            "This process declares another lock order: " + conflict.get()
                                    + ". Use the same order everywhere; to change it, stop every process and remove the namespace's stored terms"));
        }
        NamespaceTerms extended = terms.with(ranks);
        if (!extended.equals(terms) && terms.isFull()) {
            return CompletableFuture.failedFuture(
                    StoreException.refused(
                            "The namespace has too many different lock orders already: declare one order that all services share"));
        }
        String proposed = extended.text();
        return engine.store().terms(known, proposed).thenCompose(now -> {
            if (now.equals(proposed)) {
                joined = true;
                return CompletableFuture.completedFuture(true);
            }
            if (left == 0) {
                return CompletableFuture.failedFuture(
                        StoreException.unknown("The namespace's terms keep changing", null));
            }
            try {
                return round(now, NamespaceTerms.parse(now), left - 1);
            } catch (NamespaceTerms.UnknownVersion e) {
                throw new CompletionException(StoreException.refused(
                        "This process cannot join: " + e.getMessage() + ". Upgrade the older side"));
            }
        });
    }
}
