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
 * <p>An attempt that travels with others takes its locks if they are all free and does nothing else; one that finds them busy is sent once
 * more, by itself.
 */
final class SharedTrips {
    private final RedisLockStore store;
    private final RedisKeys keys;
    private final Seen seen;
    private final Unsent unsent;
    private final Gathering<Attempt, AttemptAnswer> takes;
    private final Gathering<List<Grant>, List<ReleaseAnswer>> releases;

    SharedTrips(RedisLockStore store, RedisKeys keys, Servers servers, Seen seen, Unsent unsent) {
        this.store = store;
        this.keys = keys;
        this.seen = seen;
        this.unsent = unsent;
        Gathering.Line line = (late, arrived) -> servers.call(0, late, reply -> {
            arrived.accept(reply);
            return reply;
        });
        this.takes = new Gathering<>(line, new Takes());
        this.releases = new Gathering<>(line, new Releases());
    }

    /** Whether free locks are all that an attempt needs. */
    static boolean suit(Attempt attempt) {
        return attempt.held().isEmpty()
                && attempt.tokenFloor() == 0
                && RedisLockStore.commonLease(attempt.claims()) > 0;
    }

    CompletableFuture<AttemptAnswer> take(Attempt attempt) {
        unsent.leaves(attempt.id());
        return takes.ask(attempt);
    }

    CompletableFuture<List<ReleaseAnswer>> release(List<Grant> grants) {
        return releases.ask(grants);
    }

    private final class Takes implements Gathering.Kind<Attempt, AttemptAnswer> {
        @Override
        public int locks(Attempt attempt) {
            return attempt.claims().size();
        }

        @Override
        public boolean together(Attempt one, Attempt other) {
            return one.claims().get(0).lease().equals(other.claims().get(0).lease());
        }

        @Override
        public Call call(List<Gathering.Asked<Attempt, AttemptAnswer>> asked) {
            Attempt first = asked.get(0).question();
            if (asked.size() == 1) {
                return store.attempting(0, first, first.claims(), List.of());
            }
            int locks = asked.stream().mapToInt(it -> locks(it.question())).sum();
            Call call = new Call(Script.TAKE, 2 + locks, 3 + 2 * asked.size())
                    .key(keys.counter(0))
                    .key(keys.mark(0))
                    .arg(seen.at(0))
                    .arg(store.valueRest(first.label()))
                    .arg(RedisLockStore.millis(first.claims().get(0).lease()));
            for (Gathering.Asked<Attempt, AttemptAnswer> it : asked) {
                Attempt attempt = it.question();
                for (Claim claim : attempt.claims()) {
                    call.key(keys.lock(claim.key()));
                }
                call.arg(Owners.encode(attempt.id())).arg(locks(attempt));
            }
            return call;
        }

        @Override
        public void arrived(List<Gathering.Asked<Attempt, AttemptAnswer>> asked, Object reply) {
            if (asked.size() == 1) {
                Attempt attempt = asked.get(0).question();
                unsent.remove(attempt.id());
                asked.get(0).answer().complete(store.attempted(0, reply, attempt.id(), attempt.claims(), List.of()));
                return;
            }
            List<?> numbers = Reply.list(reply);
            for (int i = 0; i < asked.size(); i++) {
                arrived(asked.get(i), Reply.number(numbers.get(i)));
            }
        }

        @Override
        public void failed(List<Gathering.Asked<Attempt, AttemptAnswer>> asked, Throwable error) {
            for (Gathering.Asked<Attempt, AttemptAnswer> it : asked) {
                unsent.remove(it.question().id());
                it.answer().completeExceptionally(error);
            }
        }

        private void arrived(Gathering.Asked<Attempt, AttemptAnswer> asked, long number) {
            Attempt attempt = asked.question();
            boolean wanted = unsent.remove(attempt.id());
            if (number > 0) {
                asked.answer().complete(store.attempted(0, number, attempt.id(), attempt.claims(), List.of()));
            } else if (wanted) {
                asked.follow(store.attempt(0, attempt, attempt.claims(), List.of()));
            } else {
                asked.answer().completeExceptionally(Unsent.withdrawn());
            }
        }
    }

    private final class Releases implements Gathering.Kind<List<Grant>, List<ReleaseAnswer>> {
        @Override
        public int locks(List<Grant> grants) {
            return grants.size();
        }

        @Override
        public boolean together(List<Grant> one, List<Grant> other) {
            return true;
        }

        @Override
        public Call call(List<Gathering.Asked<List<Grant>, List<ReleaseAnswer>>> asked) {
            if (asked.size() == 1) {
                return store.releasing(0, asked.get(0).question());
            }
            return store.releasing(
                    0, asked.stream().flatMap(it -> it.question().stream()).toList());
        }

        @Override
        public void arrived(List<Gathering.Asked<List<Grant>, List<ReleaseAnswer>>> asked, Object reply) {
            int from = 0;
            for (Gathering.Asked<List<Grant>, List<ReleaseAnswer>> it : asked) {
                int to = from + it.question().size();
                it.answer().complete(RedisLockStore.released(reply, from, to));
                from = to;
            }
        }

        @Override
        public void failed(List<Gathering.Asked<List<Grant>, List<ReleaseAnswer>>> asked, Throwable error) {
            asked.forEach(it -> it.answer().completeExceptionally(error));
        }
    }
}
