package dev.interlock.memory;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
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
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The {@link LockTable} as a store: one call at a time, answered before the method returns.
 *
 * <p>Pushes are delivered after the table is unlocked, on the thread whose call caused them, so a listener may call back.
 */
final class InMemoryLockStore implements LockStore {
    private final LockTable table;
    private final StoreContext context;

    InMemoryLockStore(LockTable table, StoreContext context) {
        this.table = table;
        this.context = context;
    }

    @Override
    public CompletionStage<String> terms(String expected, String proposed) {
        return answer(() -> table.terms(expected, proposed));
    }

    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt) {
        return answer(() -> table.attempt(attempt, context.listener()));
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<Place> places) {
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
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants) {
        return answer(() -> each(grants, table::release));
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return answer(() -> table.snapshot(query, context.surroundings().wall()));
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return answer(() -> table.forceRelease(key));
    }

    @Override
    public CompletionStage<List<WaitNote>> exchange(WaitNotes notes) {
        return answer(() -> table.exchange(notes));
    }

    /** Does nothing: what this process left behind ends by its leases, as with any other store. */
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
