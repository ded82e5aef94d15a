package dev.interlock.testkit;

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
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Passes every call on, through a method that subclasses can override. */
abstract class DecoratedStore implements LockStore {
    private final LockStore inner;

    DecoratedStore(LockStore inner) {
        this.inner = inner;
    }

    /** A call that the store makes in its ordinary lane. */
    <T> CompletionStage<T> ordinary(Supplier<CompletionStage<T>> call) {
        return call.get();
    }

    /** A call that the store makes in its urgent lane. */
    <T> CompletionStage<T> urgent(Supplier<CompletionStage<T>> call) {
        return call.get();
    }

    @Override
    public CompletionStage<String> agree(String expected, String proposed) {
        return ordinary(() -> inner.agree(expected, proposed));
    }

    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt, long mayBlockNanos) {
        return ordinary(() -> inner.attempt(attempt, mayBlockNanos));
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<PlaceId> places) {
        return ordinary(() -> inner.keepWaiting(places));
    }

    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
        return urgent(() -> inner.withdraw(id, keys));
    }

    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals) {
        return urgent(() -> inner.renew(renewals));
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants, long mayBlockNanos) {
        return urgent(() -> inner.release(grants, mayBlockNanos));
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return ordinary(() -> inner.snapshot(query));
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return ordinary(() -> inner.forceRelease(key));
    }

    @Override
    public CompletionStage<List<WaitReport>> exchange(WaitReportExchange exchange) {
        return ordinary(() -> inner.exchange(exchange));
    }

    @Override
    public void close() {
        inner.close();
    }
}
