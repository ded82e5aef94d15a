package dev.interlock.redis;

import dev.interlock.spi.StoreException;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way to one server, or to whichever server Sentinel names: one {@link Wire} at a time, and a new one soon after the old one ended.
 *
 * <p>While a connection is being made, calls wait for it; between two tries they fail at once, as not sent. Pauses between tries
 * double from 50 ms to 1 s.
 */
final class Link {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    private static final long WATCH_MILLIS = 250;
    private static final int TICKS_PER_ROLE_CHECK = 4;
    private static final AtomicReferenceFieldUpdater<Link, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(Link.class, State.class, "state");

    private sealed interface State {}

    private record Idle() implements State {}

    private record Connecting(CompletableFuture<Wire> wire, long pauseMillis) implements State {}

    private record Up(Wire wire) implements State {}

    private record Pausing(StoreException why, long pauseMillis) implements State {}

    private record Closed() implements State {}

    private final String server;
    private final Function<Link, CompletableFuture<Wire>> connector;
    private final EventExecutor timer;
    private final long silenceNanos;
    private volatile State state = new Idle();
    private final Future<?> watching;
    private int ticks; // of the timer's thread

    Link(String server, Function<Link, CompletableFuture<Wire>> connector, EventExecutor timer, long silenceNanos) {
        this.server = server;
        this.connector = connector;
        this.timer = timer;
        this.silenceNanos = silenceNanos;
        this.watching = timer.scheduleAtFixedRate(this::watch, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    }

    String server() {
        return server;
    }

    /** The connection if there is one right now. */
    @Nullable
    Wire open() {
        return state instanceof Up up && up.wire().isOpen() ? up.wire() : null;
    }

    /** The connection, as soon as it is there. */
    CompletableFuture<Wire> wire() {
        State now = state;
        if (now instanceof Up up && up.wire().isOpen()) {
            return CompletableFuture.completedFuture(up.wire());
        }
        if (now instanceof Connecting connecting) {
            return connecting.wire();
        }
        if (now instanceof Pausing pausing) {
            return CompletableFuture.failedFuture(pausing.why());
        }
        if (now instanceof Closed) {
            return CompletableFuture.failedFuture(StoreException.notSent("The backend is closed", null));
        }
        return connect(now, FIRST_PAUSE_MILLIS);
    }

    private CompletableFuture<Wire> connect(State from, long pauseMillis) {
        Connecting connecting = new Connecting(new CompletableFuture<>(), pauseMillis);
        if (!STATE.compareAndSet(this, from, connecting)) {
            return wire();
        }
        CompletableFuture<Wire> making;
        try {
            making = connector.apply(this);
        } catch (RuntimeException e) {
            making = CompletableFuture.failedFuture(e);
        }
        making.whenComplete((wire, error) -> {
            if (wire != null) {
                connected(connecting, wire);
            } else {
                failed(connecting, Failures.connecting(server, error == null ? new IllegalStateException() : error));
            }
        });
        return connecting.wire();
    }

    private void connected(Connecting connecting, Wire wire) {
        if (STATE.compareAndSet(this, connecting, new Up(wire))) {
            connecting.wire().complete(wire);
        } else {
            wire.end();
            connecting.wire().completeExceptionally(StoreException.notSent("The backend is closed", null));
        }
    }

    private void failed(Connecting connecting, StoreException why) {
        Pausing pausing = new Pausing(why, connecting.pauseMillis());
        if (STATE.compareAndSet(this, connecting, pausing)) {
            timer.schedule(
                    () -> connect(pausing, Math.min(LONGEST_PAUSE_MILLIS, 2 * pausing.pauseMillis())),
                    pausing.pauseMillis(),
                    TimeUnit.MILLISECONDS);
        }
        connecting.wire().completeExceptionally(why);
    }

    /** Tells that a wire has ended, by itself or because its server is not what it was. */
    void ended(Wire wire) {
        wire.end();
        State now = state;
        if (now instanceof Up up && up.wire() == wire) {
            connect(now, FIRST_PAUSE_MILLIS);
        }
    }

    private void watch() {
        Wire wire = state instanceof Up up ? up.wire() : null;
        if (wire != null && (!wire.isOpen() || wire.isSilent(silenceNanos))) {
            ended(wire);
        } else if (wire != null && ++ticks % TICKS_PER_ROLE_CHECK == 0) {
            // A primary that is demoted and promoted again while nobody asks it may come back with an old counter.
            wire.checkRole(() -> ended(wire));
        }
    }

    /** Done once there is no connection any more. */
    CompletableFuture<Void> close() {
        State last = STATE.getAndSet(this, new Closed());
        watching.cancel(false);
        if (last instanceof Up up) {
            return up.wire().end();
        }
        if (last instanceof Connecting connecting) {
            connecting.wire().completeExceptionally(StoreException.notSent("The backend is closed", null));
        }
        return CompletableFuture.completedFuture(null);
    }
}
