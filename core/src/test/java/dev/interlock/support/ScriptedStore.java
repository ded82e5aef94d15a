package dev.interlock.support;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
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
import dev.interlock.support.ScriptedBackend.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A store whose calls follow the script of its backend. */
final class ScriptedStore implements LockStore {
    private final ScriptedBackend backend;
    private final LockStore store;

    ScriptedStore(ScriptedBackend backend, LockStore store) {
        this.backend = backend;
        this.store = store;
    }

    @Override
    public CompletionStage<String> agree(String expected, String proposed) {
        return backend.run(Op.AGREE, proposed, () -> store.agree(expected, proposed));
    }

    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt, long mayBlockNanos) {
        backend.recordMayBlock(Op.ATTEMPT, mayBlockNanos);
        return backend.run(Op.ATTEMPT, attempt, () -> store.attempt(attempt, mayBlockNanos));
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<PlaceId> places) {
        return backend.run(Op.KEEP_WAITING, places, () -> store.keepWaiting(places));
    }

    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
        return backend.run(Op.WITHDRAW, id, () -> store.withdraw(id, keys));
    }

    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals) {
        return backend.run(Op.RENEW, new ArrayList<>(renewals), () -> store.renew(renewals));
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants, long mayBlockNanos) {
        backend.recordMayBlock(Op.RELEASE, mayBlockNanos);
        return backend.run(Op.RELEASE, new ArrayList<>(grants), () -> store.release(grants, mayBlockNanos));
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return backend.run(Op.SNAPSHOT, query, () -> store.snapshot(query));
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return store.forceRelease(key);
    }

    @Override
    public CompletionStage<List<WaitReport>> exchange(WaitReportExchange exchange) {
        return backend.run(Op.EXCHANGE, exchange, () -> store.exchange(exchange));
    }

    @Override
    public void close() {
        store.close();
    }
}
