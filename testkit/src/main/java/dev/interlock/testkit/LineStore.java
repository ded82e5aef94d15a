package dev.interlock.testkit;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.Place;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** A store at the end of a {@link Line}; says of grants that a script took away why they are gone. */
final class LineStore implements LockStore {
    private final LockStore store;
    private final Line line;
    private final Map<Long, LossReason> taken;

    LineStore(LockStore store, Line line, Map<Long, LossReason> taken) {
        this.store = store;
        this.line = line;
        this.taken = taken;
    }

    @Override
    public CompletionStage<String> terms(String expected, String proposed) {
        return line.send(() -> store.terms(expected, proposed));
    }

    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt) {
        return line.send(() -> store.attempt(attempt));
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<Place> places) {
        return line.send(() -> store.keepWaiting(places));
    }

    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
        return line.send(() -> store.withdraw(id, keys));
    }

    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals) {
        return line.send(() -> store.renew(renewals).thenApply(answers -> withReasons(renewals, answers)));
    }

    private List<RenewalAnswer> withReasons(List<Renewal> renewals, List<RenewalAnswer> answers) {
        List<RenewalAnswer> told = new ArrayList<>(answers);
        for (int i = 0; i < told.size(); i++) {
            LossReason reason = taken.get(renewals.get(i).grant().number());
            if (reason != null && told.get(i) instanceof RenewalAnswer.Gone) {
                told.set(i, new RenewalAnswer.Gone(reason));
            }
        }
        return told;
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants) {
        return line.send(() -> store.release(grants));
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return line.send(() -> store.snapshot(query));
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return line.send(() -> store.forceRelease(key));
    }

    @Override
    public CompletionStage<List<WaitNote>> exchange(WaitNotes notes) {
        return line.send(() -> store.exchange(notes));
    }

    @Override
    public void close() {
        store.close();
    }
}
