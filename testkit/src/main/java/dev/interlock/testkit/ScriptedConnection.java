package dev.interlock.testkit;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection between one process and the store. A script can cut it.
 *
 * <p>Invariants: while the connection is cut, no answer and no push arrives. Requests reach the store only if the
 * outage is {@link Outage#ANSWERS_LOST}. A request that was dropped is never answered, even after the connection is
 * restored. Thread-safe.
 */
final class ScriptedConnection {
    private final Executor pushes;
    private volatile @Nullable Outage outage;
    private volatile @Nullable StoreListener listener;

    /**
     * Creates a connection that works.
     *
     * @param pushes runs the messages that the store pushes
     */
    ScriptedConnection(Executor pushes) {
        this.pushes = pushes;
    }

    void cut(Outage kind) {
        outage = Objects.requireNonNull(kind, "kind is null: choose REFUSED, SILENT or ANSWERS_LOST");
    }

    /** Restores the connection if it is cut. */
    void restore() {
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
                CompletableFuture.failedFuture(StoreException.notSent("The test script refuses connections", null));
            case SILENT -> new CompletableFuture<>();
            case ANSWERS_LOST ->
                request.get()
                        .thenCompose(answer -> CompletableFuture.failedFuture(
                                StoreException.unknown("The test script drops answers", null)));
        };
    }

    /** Returns the context for the store, so that its pushes pass through this connection. */
    StoreContext through(StoreContext engine) {
        listener = engine.listener();
        return new Context(engine, new PushFilter());
    }

    private void push(Consumer<StoreListener> message) {
        StoreListener engine = listener;
        if (outage == null && engine != null) {
            pushes.execute(() -> message.accept(engine));
        }
    }

    private final class PushFilter implements StoreListener {
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
        public Environment environment() {
            return engine.environment();
        }
    }
}
