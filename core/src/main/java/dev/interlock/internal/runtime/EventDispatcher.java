package dev.interlock.internal.runtime;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Delivers events to listeners on a thread of its own.
 *
 * <p>Costs nothing without listeners. If listeners are too slow, further events are dropped and counted. Thread-safe.
 */
public final class EventDispatcher<E> {
    /** Events that may wait for slow listeners before further ones are dropped. */
    private static final int MAX_WAITING = 10_000;

    private final String kind;
    private final List<Consumer<E>> listeners;
    private final Executor executor;
    private final System.Logger log;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();

    /**
     * @param kind what the events are about, for log messages
     */
    public EventDispatcher(String kind, List<Consumer<E>> listeners, EngineRuntime runtime) {
        this.kind = kind;
        this.listeners = listeners;
        this.executor = runtime.threads().events();
        this.log = runtime.log();
    }

    public boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /** Delivers an event, which is only built if there is a listener. */
    public void publish(Supplier<? extends E> event) {
        if (listeners.isEmpty()) {
            return;
        }
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            dropped.incrementAndGet();
            return;
        }
        E published = event.get();
        executor.execute(() -> {
            waiting.decrementAndGet();
            listeners.forEach(listener -> deliver(listener, published));
            reportDropped();
        });
    }

    private void deliver(Consumer<E> listener, E event) {
        try {
            listener.accept(event);
        } catch (RuntimeException | LinkageError | AssertionError e) {
            log.log(System.Logger.Level.WARNING, "A " + kind + " listener failed on " + event, e);
        }
    }

    private void reportDropped() {
        if (dropped.get() > 0 && waiting.get() == 0) {
            log.log(
                    System.Logger.Level.WARNING,
                    "{0} " + kind + " events were dropped: a listener is too slow",
                    dropped.getAndSet(0));
        }
    }
}
