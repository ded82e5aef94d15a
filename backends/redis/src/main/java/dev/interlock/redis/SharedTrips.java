package dev.interlock.redis;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Attempts on free locks, and releases, of many threads in one call each while there is load; see {@link Gathering}. Only where all locks
 * are on one server.
 *
 * <p>An attempt that travels with others takes its locks if they are all free and does nothing else; one that finds them busy is sent once
 * more, by itself. So is everyone of a call that the server refuses, because one name is not allowed to this user for example.
 */
final class SharedTrips {
    private final RedisLockStore store;
    private final RedisKeys keys;
    private final Seen seen;
    private final Unsent unsent;
    private final Gathering<Sending, AttemptAnswer> takes;
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
        Sending sending = new Sending(attempt);
        unsent.leaves(attempt.id(), sending);
        return takes.ask(sending);
    }

    CompletableFuture<List<ReleaseAnswer>> release(List<Grant> grants) {
        return releases.ask(grants);
    }

    /** One time that an attempt is sent; a second time is another one, though they be equal. */
    private static final class Sending {
        final Attempt attempt;

        Sending(Attempt attempt) {
            this.attempt = attempt;
        }
    }

    /** Whether the server has refused a call of several as a whole, which may be the fault of one of them. */
    private static boolean isOneOfThemRefused(List<?> asked, Throwable error) {
        return asked.size() > 1
                && Failures.cause(error) instanceof StoreException refusal
                && refusal.kind() == StoreException.Kind.REFUSED;
    }

    private final class Takes implements Gathering.Kind<Sending, AttemptAnswer> {
        @Override
        public int locks(Sending sending) {
            return sending.attempt.claims().size();
        }

        @Override
        public boolean together(Sending one, Sending other) {
            return lease(one).equals(lease(other));
        }

        private Duration lease(Sending sending) {
            return sending.attempt.claims().get(0).lease();
        }

        @Override
        public Call call(List<Gathering.Asked<Sending, AttemptAnswer>> asked) {
            Sending first = asked.get(0).question();
            if (asked.size() == 1) {
                return store.attempting(0, first.attempt, first.attempt.claims(), List.of());
            }
            int locks = asked.stream().mapToInt(it -> locks(it.question())).sum();
            Call call = new Call(Script.TAKE, 2 + locks, 3 + 2 * asked.size())
                    .key(keys.counter(0))
                    .key(keys.mark(0))
                    .arg(seen.at(0))
                    .arg(store.valueRest(first.attempt.label()))
                    .arg(RedisLockStore.millis(lease(first)));
            for (Gathering.Asked<Sending, AttemptAnswer> it : asked) {
                Sending sending = it.question();
                for (Claim claim : sending.attempt.claims()) {
                    call.key(keys.lock(claim.key()));
                }
                call.arg(Owners.encode(sending.attempt.id())).arg(locks(sending));
            }
            return call;
        }

        @Override
        public void arrived(List<Gathering.Asked<Sending, AttemptAnswer>> asked, Object reply) {
            if (asked.size() == 1) {
                isWanted(asked.get(0));
                answer(asked.get(0), reply);
                return;
            }
            List<?> numbers = Reply.list(reply);
            for (int i = 0; i < asked.size(); i++) {
                long number = Reply.number(numbers.get(i));
                if (number == 0) {
                    askAlone(asked.get(i));
                } else {
                    isWanted(asked.get(i));
                    answer(asked.get(i), number);
                }
            }
        }

        private void answer(Gathering.Asked<Sending, AttemptAnswer> asked, Object reply) {
            Attempt attempt = asked.question().attempt;
            asked.answer().complete(store.attempted(0, reply, attempt.id(), attempt.claims(), List.of()));
        }

        private void askAlone(Gathering.Asked<Sending, AttemptAnswer> asked) {
            if (isWanted(asked)) {
                Attempt attempt = asked.question().attempt;
                asked.follow(store.attempt(0, attempt, attempt.claims(), List.of()));
            } else {
                asked.answer().completeExceptionally(Unsent.withdrawn());
            }
        }

        /** Asked once: it is forgotten then. */
        private boolean isWanted(Gathering.Asked<Sending, AttemptAnswer> asked) {
            return unsent.remove(asked.question().attempt.id(), asked.question());
        }

        @Override
        public void failed(List<Gathering.Asked<Sending, AttemptAnswer>> asked, Throwable error) {
            if (isOneOfThemRefused(asked, error)) {
                asked.forEach(this::askAlone);
                return;
            }
            for (Gathering.Asked<Sending, AttemptAnswer> it : asked) {
                isWanted(it);
                it.answer().completeExceptionally(error);
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
            boolean again = isOneOfThemRefused(asked, error);
            for (Gathering.Asked<List<Grant>, List<ReleaseAnswer>> it : asked) {
                if (again) {
                    it.follow(store.release(0, it.question()));
                } else {
                    it.answer().completeExceptionally(error);
                }
            }
        }
    }
}
