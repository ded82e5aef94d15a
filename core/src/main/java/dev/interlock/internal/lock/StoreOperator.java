package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Row;
import dev.interlock.lock.InterlockClosedException;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOperator;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.lock.WaitForGraph;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The operator's view, straight from the store. */
final class StoreOperator implements LockOperator {
    private static final int MOST_PER_PAGE = 1000;

    private record Outcome<T>(@Nullable T value, @Nullable StoreException failure) {}

    private final Engine engine;

    StoreOperator(Engine engine) {
        this.engine = engine;
    }

    @Override
    public LockPage list(String prefix, Optional<String> after, int limit) {
        Objects.requireNonNull(prefix, "prefix is null: give the beginning of the names, empty for all");
        Objects.requireNonNull(after, "after is null: give Optional.empty() to begin");
        if (limit < 1 || limit > MOST_PER_PAGE) {
            throw new IllegalArgumentException("limit is " + limit + ": choose 1 to " + MOST_PER_PAGE);
        }
        requireIntrospection();
        return call(() -> engine.store().snapshot(new SnapshotQuery(prefix, after, limit)));
    }

    @Override
    public Optional<LockSnapshot> inspect(LockKey key) {
        Objects.requireNonNull(key, "key is null: say which lock to look at");
        requireIntrospection();
        return call(() -> engine.store().snapshot(new SnapshotQuery(key.name(), Optional.empty(), 1))).locks().stream()
                .filter(lock -> lock.key().equals(key))
                .findFirst();
    }

    @Override
    public int forceRelease(LockKey key) {
        Objects.requireNonNull(key, "key is null: say which lock to release");
        if (!engine.capabilities().forcedRelease()) {
            throw new LockRefusedException(engine.storeName() + " cannot release a lock by force");
        }
        engine.log().log(System.Logger.Level.WARNING, "Releasing \"{0}\" by force", key);
        return call(() -> engine.store().forceRelease(key));
    }

    WaitForGraph waitForGraph() {
        List<WaitNote> notes = call(() -> LongWaits.exchange(engine, WaitNotes.reading()));
        List<Row> rows = notes.stream().flatMap(note -> Row.read(note).stream()).toList();
        return LongWaits.graph(rows, engine.surroundings().wall());
    }

    private void requireIntrospection() {
        if (!engine.capabilities().introspection()) {
            throw new LockRefusedException(engine.storeName() + " cannot list its locks");
        }
    }

    private <T> T call(Supplier<CompletionStage<T>> call) {
        if (engine.isClosed()) {
            throw new InterlockClosedException("This Interlock is closed: open a new one");
        }
        Answer<Outcome<T>> answer = new Answer<>();
        engine.calls()
                .urgent(
                        call,
                        engine.answerNanos(),
                        (value, failure) -> answer.set(new Outcome<>(value, failure)),
                        late -> {});
        Outcome<T> outcome;
        try {
            outcome = answer.await(engine.settings().answerWithin().plusSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException("Interrupted while waiting for " + engine.storeName());
        }
        T value = outcome == null ? null : outcome.value();
        if (value != null) {
            return value;
        }
        StoreException failure = outcome == null ? null : outcome.failure();
        if (failure != null && failure.kind() == StoreException.Kind.REFUSED) {
            throw new LockRefusedException(String.valueOf(failure.getMessage()));
        }
        throw new StoreUnavailableException(engine.storeName() + " did not answer", failure);
    }
}
