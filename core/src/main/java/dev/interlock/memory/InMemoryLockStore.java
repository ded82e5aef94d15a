package dev.interlock.memory;

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
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A {@link LockStore} over a {@link LockTable}. It serves one call at a time and answers before the method returns.
 *
 * <p>The thread whose call caused a push delivers it after it has unlocked the table, so a listener may call the store.
 */
final class InMemoryLockStore implements LockStore {
    private final LockTable table;
    private final StoreContext context;

    InMemoryLockStore(LockTable table, StoreContext context) {
        this.table = table;
        this.context = context;
    }

    @Override
    public CompletionStage<String> agree(String expected, String proposed) {
        return answer(() -> table.agree(expected, proposed));
    }

    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt, long mayBlockNanos) {
        return answer(() -> table.attempt(attempt, context.listener()));
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<PlaceId> places) {
        return answer(() -> each(places, place -> table.keepWaiting(place.id(), place.key())));
    }

    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
        return answer(() -> table.withdraw(id, keys));
    }

    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals) {
        return answer(() -> each(renewals, table::renew));
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants, long mayBlockNanos) {
        return answer(() -> each(grants, table::release));
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return answer(() -> table.snapshot(query, context.environment().wall()));
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return answer(() -> table.forceRelease(key));
    }

    @Override
    public CompletionStage<List<WaitReport>> exchange(WaitReportExchange reports) {
        return answer(() -> table.exchange(reports));
    }

    /** Does nothing. Grants and queue places of this process end when they expire, as in every other store. */
    @Override
    public void close() {}

    private <T> CompletionStage<T> answer(Supplier<T> call) {
        List<LockTable.Push> pushes;
        T answer;
        table.mutex.lock();
        try {
            answer = call.get();
        } catch (StoreException refused) {
            return CompletableFuture.failedFuture(refused);
        } finally {
            pushes = table.takePushes();
            table.mutex.unlock();
        }
        for (LockTable.Push push : pushes) {
            push.listener().granted(push.granted());
        }
        return CompletableFuture.completedFuture(answer);
    }

    private static <A, B> List<B> each(List<A> entries, Function<A, B> answer) {
        List<B> answers = new ArrayList<>(entries.size());
        for (A entry : entries) {
            answers.add(answer.apply(entry));
        }
        return answers;
    }
}
