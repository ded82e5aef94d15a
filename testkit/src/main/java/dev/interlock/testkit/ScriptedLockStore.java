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
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A store behind a {@link ScriptedConnection}. Reports the scripted loss reason for grants that a script took away.
 */
final class ScriptedLockStore implements LockStore {
    private final LockStore store;
    private final ScriptedConnection connection;
    private final Map<Long, LossReason> taken;

    ScriptedLockStore(LockStore store, ScriptedConnection connection, Map<Long, LossReason> taken) {
        this.store = store;
        this.connection = connection;
        this.taken = taken;
    }

    @Override
    public CompletionStage<String> agree(String expected, String proposed) {
        return connection.send(() -> store.agree(expected, proposed));
    }

    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt, long mayBlockNanos) {
        return connection.send(() -> store.attempt(attempt, 0));
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<PlaceId> places) {
        return connection.send(() -> store.keepWaiting(places));
    }

    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
        return connection.send(() -> store.withdraw(id, keys));
    }

    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals) {
        return connection.send(() -> store.renew(renewals).thenApply(answers -> withReasons(renewals, answers)));
    }

    private List<RenewalAnswer> withReasons(List<Renewal> renewals, List<RenewalAnswer> answers) {
        List<RenewalAnswer> adjusted = new ArrayList<>(answers);
        for (int i = 0; i < adjusted.size(); i++) {
            LossReason reason = taken.get(renewals.get(i).grant().number());
            if (reason != null && adjusted.get(i) instanceof RenewalAnswer.Gone) {
                adjusted.set(i, new RenewalAnswer.Gone(reason));
            }
        }
        return adjusted;
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants, long mayBlockNanos) {
        return connection.send(() -> store.release(grants, 0));
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return connection.send(() -> store.snapshot(query));
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return connection.send(() -> store.forceRelease(key));
    }

    @Override
    public CompletionStage<List<WaitReport>> exchange(WaitReportExchange exchange) {
        return connection.send(() -> store.exchange(exchange));
    }

    @Override
    public void close() {
        store.close();
    }
}
