package dev.interlock.redis;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.ReleaseAnswer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Attempts on free locks, and releases, of many threads in one call each while there is load; see {@link Gathering}. Only where all locks
 * are on one server.
 *
 * <p>A shared attempt takes its lock if that is free and does nothing else; one that finds it busy is sent once more, by itself.
 */
final class SharedTrips {
    private final RedisLockStore store;
    private final RedisKeys keys;
    private final Servers servers;
    private final Seen seen;
    private final Unsent unsent;
    private final Gathering<Attempt, AttemptAnswer> takes;
    private final Gathering<Grant, ReleaseAnswer> releases;

    SharedTrips(RedisLockStore store, RedisKeys keys, Servers servers, Seen seen, Unsent unsent) {
        this.store = store;
        this.keys = keys;
        this.servers = servers;
        this.seen = seen;
        this.unsent = unsent;
        this.takes = new Gathering<>(
                this::takeAlone,
                this::takeTogether,
                asked -> unsent.add(asked.question().id(), asked.answer()),
                attempt -> unsent.leaves(attempt.id()));
        this.releases = new Gathering<>(
                one -> store.release(0, List.of(one)).thenApply(it -> it.get(0)),
                this::releaseTogether,
                asked -> {},
                grant -> true);
    }

    /** Whether a free lock is all that an attempt needs. */
    static boolean suit(Attempt attempt) {
        return attempt.claims().size() == 1
                && attempt.held().isEmpty()
                && attempt.tokenFloor() == 0
                && RedisLockStore.commonLease(attempt.claims()) > 0;
    }

    CompletableFuture<AttemptAnswer> take(Attempt attempt) {
        return takes.ask(attempt);
    }

    CompletableFuture<ReleaseAnswer> release(Grant grant) {
        return releases.ask(grant);
    }

    private CompletableFuture<AttemptAnswer> takeAlone(Attempt attempt) {
        return store.attempt(0, attempt, attempt.claims(), List.of());
    }

    private CompletableFuture<?> takeTogether(List<Gathering.Asked<Attempt, AttemptAnswer>> several) {
        Call call = new Call(Script.TAKE, 2 + several.size(), 2 + 2 * several.size())
                .key(keys.counter(0))
                .key(keys.mark(0))
                .arg(seen.at(0))
                .arg(store.valueRest(several.get(0).question().label()));
        for (Gathering.Asked<Attempt, AttemptAnswer> asked : several) {
            Claim claim = asked.question().claims().get(0);
            call.key(keys.lock(claim.key()))
                    .arg(Owners.encode(asked.question().id()))
                    .arg(RedisLockStore.millis(claim.lease()));
        }
        return servers.call(0, call, Reply::list).whenComplete((numbers, error) -> {
            for (int i = 0; i < several.size(); i++) {
                Gathering.Asked<Attempt, AttemptAnswer> asked = several.get(i);
                boolean wanted = unsent.remove(asked.question().id());
                if (error != null) {
                    asked.answer().completeExceptionally(error);
                } else {
                    taken(asked, Reply.number(numbers.get(i)), wanted);
                }
            }
        });
    }

    private void taken(Gathering.Asked<Attempt, AttemptAnswer> asked, long number, boolean wanted) {
        Attempt attempt = asked.question();
        if (number > 0) {
            asked.answer()
                    .complete(store.noticed(0, Answers.attempt(number, attempt.id(), attempt.claims(), List.of())));
        } else if (!wanted) {
            asked.answer().completeExceptionally(Unsent.withdrawn());
        } else {
            asked.follow(takeAlone(attempt));
        }
    }

    private CompletableFuture<?> releaseTogether(List<Gathering.Asked<Grant, ReleaseAnswer>> several) {
        CompletableFuture<List<ReleaseAnswer>> all =
                store.release(0, several.stream().map(Gathering.Asked::question).toList());
        for (int i = 0; i < several.size(); i++) {
            int index = i;
            several.get(i).follow(all.thenApply(answers -> answers.get(index)));
        }
        return all;
    }
}
