package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.PlaceId;
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
 * Renews leases and sends heartbeats of queue places, in batches.
 *
 * <p>Holds and places add themselves when they are due. After each round of the timetable, the collected batch is
 * sent on the lane. A renewal counts only if the store confirmed it for this owner and grant, and its validity counts
 * from before the request was sent. A failed renewal becomes due again, see {@link Hold#ring}.
 */
final class Watchdog {
    /** The outcome of renewing a whole hold: extended if both {@code gone} and {@code failure} are null. */
    record Outcome(
            int grants,
            long validUntilNanos,
            @Nullable LossReason gone,
            @Nullable StoreException failure) {}

    private final EngineRuntime runtime;
    private final StoreAccess access;
    private final Events events;
    private final ConcurrentLinkedQueue<Hold> dueRenewals = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<QueuePlace> dueRechecks = new ConcurrentLinkedQueue<>();

    Watchdog(EngineRuntime runtime, StoreAccess access, Events events) {
        this.runtime = runtime;
        this.access = access;
        this.events = events;
    }

    void renewLater(Hold hold) {
        dueRenewals.add(hold);
    }

    void recheckLater(QueuePlace place) {
        dueRechecks.add(place);
    }

    /** Sends what is due. Called after each round of the timetable. */
    void flush() {
        if (!dueRenewals.isEmpty() || !dueRechecks.isEmpty()) {
            runtime.lane().execute(this::send);
        }
    }

    private void send() {
        List<Round> rounds = new ArrayList<>();
        long now = runtime.now();
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
            hold.gone(outcome.gone(), runtime.now());
        } else if (outcome.failure() != null) {
            hold.renewalUnanswered();
        } else {
            hold.extended(outcome.grants(), outcome.validUntilNanos(), runtime.now());
            events.renewed(hold);
        }
    }

    /** Extends one hold now, outside of the batches. */
    void renewNow(Hold hold, Duration lease, Consumer<Outcome> then) {
        renew(List.of(new Round(hold.renewals(lease), then)));
    }

    /** One hold in one round of renewals. It is extended only if all its grants are. */
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

        /** Called once per grant. Answers of one batch arrive one after another, those of several batches may race. */
        void answered(@Nullable RenewalAnswer answer, @Nullable StoreException error, long sentNanos) {
            boolean complete;
            mutex.lock();
            try {
                if (answer instanceof RenewalAnswer.Extended extended) {
                    validUntil = Math.min(validUntil, access.validUntil(sentNanos, extended.lease()));
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
            long sent = runtime.now();
            runtime.calls()
                    .<List<RenewalAnswer>>urgent(
                            () -> access.store()
                                    .renew(batch.stream().map(Entry::renewal).toList()),
                            runtime.answerNanos(),
                            (answers, error) -> {
                                for (int i = 0; i < batch.size(); i++) {
                                    batch.get(i).round().answered(answers == null ? null : answers.get(i), error, sent);
                                }
                            },
                            late -> {});
        }
    }

    private void recheck() {
        List<QueuePlace> due = new ArrayList<>();
        for (QueuePlace place = dueRechecks.poll(); place != null; place = dueRechecks.poll()) {
            if (!place.hasEnded()) {
                due.add(place);
                // The next heartbeat is scheduled even if this one fails.
                place.recheckIn(Protocol.HEARTBEAT_NANOS);
            }
        }
        for (List<QueuePlace> batch : batches(due)) {
            List<PlaceId> places = batch.stream().map(QueuePlace::place).toList();
            long sent = runtime.now();
            runtime.calls()
                    .<List<WaitAnswer>>urgent(
                            () -> access.store().keepWaiting(places),
                            runtime.answerNanos(),
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
