package dev.interlock.testkit;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.Surroundings;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The line between one process and the store, which a script can cut.
 *
 * <p>Invariants: while it is cut no answer and no push comes through; requests get through it only if answers alone are
 * lost. A request that was swallowed is never answered, not even once the line is whole again. Thread-safe.
 */
final class Line {
    private final Executor pushes;
    private volatile @Nullable Outage outage;
    private volatile @Nullable StoreListener listener;

    /**
     * A line that is whole.
     *
     * @param pushes runs what the store tells without being asked
     */
    Line(Executor pushes) {
        this.pushes = pushes;
    }

    void cut(Outage kind) {
        outage = Objects.requireNonNull(kind, "kind is null: choose REFUSED, SILENT or ANSWERS_LOST");
    }

    /** Makes the line whole; nothing to do if it is. */
    void mend() {
        if (outage != null) {
            outage = null;
            push(StoreListener::reconnected);
        }
    }

    <T> CompletionStage<T> send(Supplier<CompletionStage<T>> request) {
        Outage now = outage;
        if (now == null) {
            return request.get();
        }
        return switch (now) {
            case REFUSED ->
                CompletableFuture.failedFuture(
                        StoreException.notSent("The connection was refused, as the test's script says", null));
            case SILENT -> new CompletableFuture<>();
            case ANSWERS_LOST ->
                request.get()
                        .thenCompose(answer -> CompletableFuture.failedFuture(
                                StoreException.unknown("The answer was lost, as the test's script says", null)));
        };
    }

    /** What the engine offers the store, with this line in between. */
    StoreContext through(StoreContext engine) {
        listener = engine.listener();
        return new Context(engine, new Ear());
    }

    private void push(Consumer<StoreListener> message) {
        StoreListener engine = listener;
        if (outage == null && engine != null) {
            pushes.execute(() -> message.accept(engine));
        }
    }

    private final class Ear implements StoreListener {
        @Override
        public void granted(Granted granted) {
            push(engine -> engine.granted(granted));
        }

        @Override
        public void maybeFree(LockKey key) {
            push(engine -> engine.maybeFree(key));
        }

        @Override
        public void sessionLost(LossReason reason) {
            push(engine -> engine.sessionLost(reason));
        }

        @Override
        public void reconnected() {
            push(StoreListener::reconnected);
        }
    }

    private record Context(StoreContext engine, StoreListener listener) implements StoreContext {
        @Override
        public Executor ordinary() {
            return engine.ordinary();
        }

        @Override
        public Executor urgent() {
            return engine.urgent();
        }

        @Override
        public Surroundings surroundings() {
            return engine.surroundings();
        }
    }
}
