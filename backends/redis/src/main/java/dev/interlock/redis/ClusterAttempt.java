package dev.interlock.redis;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One attempt on several slots of a cluster. It first renews what must still be held, then takes the claims slot by
 * slot in their order, and stops at the first busy lock.
 */
final class ClusterAttempt {
    private final RedisLockStore store;
    private final RedisKeys keys;
    private final Attempt attempt;
    private final List<Granted> granted = new ArrayList<>();

    ClusterAttempt(RedisLockStore store, RedisKeys keys, Attempt attempt) {
        this.store = store;
        this.keys = keys;
        this.attempt = attempt;
    }

    CompletableFuture<AttemptAnswer> run() {
        if (attempt.held().isEmpty()) {
            return attemptFrom(0);
        }
        return SlotGroups.each(attempt.held(), this::slot, store::renew).thenCompose(answers -> {
            for (int i = 0; i < answers.size(); i++) {
                if (answers.get(i) instanceof RenewalAnswer.Gone) {
                    return CompletableFuture.completedFuture(new AttemptAnswer.HeldGone(
                            attempt.held().get(i).grant().key()));
                }
            }
            return attemptFrom(0);
        });
    }

    private int slot(Renewal renewal) {
        return keys.slot(keys.lock(renewal.grant().key()));
    }

    private int slot(Claim claim) {
        return keys.slot(keys.lock(claim.key()));
    }

    private CompletableFuture<AttemptAnswer> attemptFrom(int start) {
        List<Claim> claims = attempt.claims();
        if (start == claims.size()) {
            return CompletableFuture.completedFuture(new AttemptAnswer.All(granted));
        }
        int slot = slot(claims.get(start));
        int end = start + 1;
        while (end < claims.size() && slot(claims.get(end)) == slot) {
            end++;
        }
        int next = end;
        return store.attempt(slot, attempt, claims.subList(start, end), List.of())
                .thenCompose(answer -> {
                    if (answer instanceof AttemptAnswer.All all) {
                        granted.addAll(all.granted());
                        return attemptFrom(next);
                    }
                    return CompletableFuture.completedFuture(withEarlier(answer));
                })
                .exceptionallyCompose(this::releaseEarlier);
    }

    /**
     * Releases what earlier slots granted: a failed attempt must leave no grants, unless its outcome is unknown anyway.
     */
    private CompletableFuture<AttemptAnswer> releaseEarlier(Throwable error) {
        List<Grant> earlier = granted.stream().map(Granted::grant).toList();
        granted.clear();
        if (earlier.isEmpty()
                || !(RedisErrors.cause(error) instanceof StoreException known)
                || known.kind() == StoreException.Kind.UNKNOWN) {
            return CompletableFuture.failedFuture(error);
        }
        return store.release(earlier, 0).toCompletableFuture().handle((released, failure) -> {
            throw failure == null
                    ? known
                    : StoreException.unknown("The locks of earlier slots could not be released: " + failure, known);
        });
    }

    private AttemptAnswer withEarlier(AttemptAnswer answer) {
        if (answer instanceof AttemptAnswer.Queued queued) {
            granted.addAll(queued.granted());
            return new AttemptAnswer.Queued(granted, queued.obstacle());
        }
        if (answer instanceof AttemptAnswer.Busy busy) {
            granted.addAll(busy.granted());
            return new AttemptAnswer.Busy(granted, busy.obstacle());
        }
        return answer;
    }
}
