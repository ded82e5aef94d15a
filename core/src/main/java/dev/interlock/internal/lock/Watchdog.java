package dev.interlock.internal.lock;

import dev.interlock.lock.LossReason;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.Place;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Renews held leases and re-checks waiting places, many in one call.
 *
 * <p>Entries of the timetable hand themselves in when they are due; after each round of ringing, what has come together is sent
 * on the engine's lane. A renewal counts only if a success for this owner and grant came back, and its validity counts from
 * before the request left. A failed one is simply due again, see {@link Hold#ring}.
 */
final class Watchdog {
    /** How a renewal of a whole hold ended; exactly one of the three says something. */
    record Outcome(
            int grants,
            long validUntilNanos,
            @Nullable LossReason gone,
            @Nullable StoreException failure) {}

    private final Engine engine;
    private final ConcurrentLinkedQueue<Hold> dueRenewals = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Ask> dueRechecks = new ConcurrentLinkedQueue<>();

    Watchdog(Engine engine) {
        this.engine = engine;
    }

    void renewLater(Hold hold) {
        dueRenewals.add(hold);
    }

    void recheckLater(Ask ask) {
        dueRechecks.add(ask);
    }

    /** Sends what is due; called after each round of ringing. */
    void flush() {
        engine.noticeSuspend();
        engine.leaks().collect();
        if (!dueRenewals.isEmpty() || !dueRechecks.isEmpty()) {
            engine.lane().execute(this::send);
        }
    }

    private void send() {
        List<Round> rounds = new ArrayList<>();
        long now = engine.now();
        for (Hold hold = dueRenewals.poll(); hold != null; hold = dueRenewals.poll()) {
            if (hold.mayRenew()) {
                Hold renewed = hold;
                rounds.add(new Round(hold.renewals(hold.renewalLease(now)), outcome -> renewed(renewed, outcome)));
            }
        }
        renew(rounds);
        recheck();
    }

    private void renewed(Hold hold, Outcome outcome) {
        if (outcome.gone() != null) {
            hold.gone(outcome.gone(), engine.now());
        } else if (outcome.failure() != null) {
            hold.renewalUnanswered();
        } else {
            hold.extended(outcome.grants(), outcome.validUntilNanos(), engine.now());
            engine.events().renewed(hold);
        }
    }

    /** Extends one hold now, apart from the batches. */
    void renewNow(Hold hold, Duration lease, Consumer<Outcome> then) {
        renew(List.of(new Round(hold.renewals(lease), then)));
    }

    /** One hold in one round of renewals; it is extended only if every one of its grants is. */
    private final class Round {
        private final ReentrantLock mutex = new ReentrantLock();
        private final List<Renewal> renewals;
        private final Consumer<Outcome> then;
        private int answers;
        private long validUntil = Long.MAX_VALUE;
        private @Nullable LossReason gone;
        private @Nullable StoreException failure;

        Round(List<Renewal> renewals, Consumer<Outcome> then) {
            this.renewals = renewals;
            this.then = then;
        }

        /** Called once per grant; answers of one batch come one after another, those of several batches may race. */
        void answered(@Nullable RenewalAnswer answer, @Nullable StoreException error, long sentNanos) {
            boolean complete;
            mutex.lock();
            try {
                if (answer instanceof RenewalAnswer.Extended extended) {
                    validUntil = Math.min(validUntil, engine.validUntil(sentNanos, extended.lease()));
                } else if (answer instanceof RenewalAnswer.Gone lost) {
                    gone = lost.reason();
                } else if (answer instanceof RenewalAnswer.NotNow later) {
                    failure = StoreException.notNow(later.why(), null);
                } else {
                    failure = error;
                }
                complete = ++answers == renewals.size();
            } finally {
                mutex.unlock();
            }
            if (complete) {
                then.accept(new Outcome(renewals.size(), validUntil, gone, gone == null ? failure : null));
            }
        }
    }

    private record Entry(Round round, Renewal renewal) {}

    private void renew(List<Round> rounds) {
        List<Entry> all = new ArrayList<>();
        for (Round round : rounds) {
            round.renewals.forEach(renewal -> all.add(new Entry(round, renewal)));
        }
        for (List<Entry> batch : batches(all)) {
            long sent = engine.now();
            engine.calls()
                    .<List<RenewalAnswer>>urgent(
                            () -> engine.store()
                                    .renew(batch.stream().map(Entry::renewal).toList()),
                            engine.answerNanos(),
                            (answers, error) -> {
                                for (int i = 0; i < batch.size(); i++) {
                                    batch.get(i).round().answered(answers == null ? null : answers.get(i), error, sent);
                                }
                            },
                            late -> {});
        }
    }

    private void recheck() {
        List<Ask> due = new ArrayList<>();
        for (Ask ask = dueRechecks.poll(); ask != null; ask = dueRechecks.poll()) {
            if (!ask.isServed()) {
                due.add(ask);
                // Whatever becomes of this check, there is a next one.
                ask.recheckIn(EngineSettings.HEARTBEAT_NANOS);
            }
        }
        for (List<Ask> batch : batches(due)) {
            List<Place> places = batch.stream().map(Ask::place).toList();
            long sent = engine.now();
            engine.calls()
                    .<List<WaitAnswer>>urgent(
                            () -> engine.store().keepWaiting(places),
                            engine.answerNanos(),
                            (answers, error) -> {
                                for (int i = 0; i < batch.size(); i++) {
                                    batch.get(i).rechecked(answers == null ? null : answers.get(i), error, sent);
                                }
                            },
                            late -> {});
        }
    }

    private static <T> List<List<T>> batches(List<T> all) {
        List<List<T>> batches = new ArrayList<>();
        for (int from = 0; from < all.size(); from += LockStore.MAX_BATCH) {
            batches.add(all.subList(from, Math.min(all.size(), from + LockStore.MAX_BATCH)));
        }
        return batches;
    }
}
