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
 * The connection to one server, or to the primary that Sentinel names: one {@link ServerConnection} at a time, replaced
 * when it ends.
 *
 * <p>While a connection is being made, calls wait for it. Between two tries they fail at once, as not sent. The pause
 * between tries doubles from 50 ms to 1 s.
 *
 * <p>Thread-safe.
 */
final class ReconnectingConnection {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long MAX_PAUSE_MILLIS = 1_000;
    private static final long WATCH_MILLIS = 250;
    private static final int TICKS_PER_ROLE_CHECK = 4;
    private static final AtomicReferenceFieldUpdater<ReconnectingConnection, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(ReconnectingConnection.class, State.class, "state");

    private sealed interface State {}

    private record Idle() implements State {}

    private record Connecting(CompletableFuture<ServerConnection> connection, long pauseMillis) implements State {}

    private record Connected(ServerConnection connection) implements State {}

    private record Pausing(StoreException why, long pauseMillis) implements State {}

    private record Closed() implements State {}

    private final String server;
    private final Function<ReconnectingConnection, CompletableFuture<ServerConnection>> connector;
    private final EventExecutor timer;
    private final long silenceLimitNanos;
    private volatile State state = new Idle();
    private final Future<?> watching;
    private int ticks; // only used by the timer's thread

    ReconnectingConnection(
            String server,
            Function<ReconnectingConnection, CompletableFuture<ServerConnection>> connector,
            EventExecutor timer,
            long silenceLimitNanos) {
        this.server = server;
        this.connector = connector;
        this.timer = timer;
        this.silenceLimitNanos = silenceLimitNanos;
        this.watching = timer.scheduleAtFixedRate(this::watch, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    }

    String server() {
        return server;
    }

    /** The current connection; null while there is none. */
    @Nullable
    ServerConnection current() {
        return state instanceof Connected connected && connected.connection().isOpen() ? connected.connection() : null;
    }

    /** The current connection, or the next one once it is made. */
    CompletableFuture<ServerConnection> connection() {
        State now = state;
        if (now instanceof Connected connected && connected.connection().isOpen()) {
            return CompletableFuture.completedFuture(connected.connection());
        }
        if (now instanceof Connecting connecting) {
            return connecting.connection();
        }
        if (now instanceof Pausing pausing) {
            return CompletableFuture.failedFuture(pausing.why());
        }
        if (now instanceof Closed) {
            return CompletableFuture.failedFuture(StoreException.notSent("The backend is closed", null));
        }
        return connect(now, FIRST_PAUSE_MILLIS);
    }

    private CompletableFuture<ServerConnection> connect(State from, long pauseMillis) {
        Connecting connecting = new Connecting(new CompletableFuture<>(), pauseMillis);
        if (!STATE.compareAndSet(this, from, connecting)) {
            return connection();
        }
        CompletableFuture<ServerConnection> making;
        try {
            making = connector.apply(this);
        } catch (RuntimeException e) {
            making = CompletableFuture.failedFuture(e);
        }
        making.whenComplete((connection, error) -> {
            if (connection != null) {
                connected(connecting, connection);
            } else {
                failed(
                        connecting,
                        RedisErrors.whileConnecting(server, error == null ? new IllegalStateException() : error));
            }
        });
        return connecting.connection();
    }

    private void connected(Connecting connecting, ServerConnection connection) {
        if (STATE.compareAndSet(this, connecting, new Connected(connection))) {
            connecting.connection().complete(connection);
        } else {
            connection.end();
            connecting.connection().completeExceptionally(StoreException.notSent("The backend is closed", null));
        }
    }

    private void failed(Connecting connecting, StoreException why) {
        Pausing pausing = new Pausing(why, connecting.pauseMillis());
        if (STATE.compareAndSet(this, connecting, pausing)) {
            timer.schedule(
                    () -> connect(pausing, Math.min(MAX_PAUSE_MILLIS, 2 * pausing.pauseMillis())),
                    pausing.pauseMillis(),
                    TimeUnit.MILLISECONDS);
        }
        connecting.connection().completeExceptionally(why);
    }

    /** Replaces a connection that has ended, or whose server is no longer the primary. */
    void replace(ServerConnection connection) {
        connection.end();
        State now = state;
        if (now instanceof Connected connected && connected.connection() == connection) {
            connect(now, FIRST_PAUSE_MILLIS);
        }
    }

    private void watch() {
        ServerConnection connection = state instanceof Connected connected ? connected.connection() : null;
        if (connection != null && (!connection.isOpen() || connection.isSilent(silenceLimitNanos))) {
            replace(connection);
        } else if (connection != null && ++ticks % TICKS_PER_ROLE_CHECK == 0) {
            // A primary that is demoted and promoted again between two calls may come back with an old counter.
            connection.checkRole(() -> replace(connection));
        }
    }

    /** Completes once the connection is closed. */
    CompletableFuture<Void> close() {
        State last = STATE.getAndSet(this, new Closed());
        watching.cancel(false);
        if (last instanceof Connected connected) {
            return connected.connection().end();
        }
        if (last instanceof Connecting connecting) {
            connecting.connection().completeExceptionally(StoreException.notSent("The backend is closed", null));
        }
        return CompletableFuture.completedFuture(null);
    }
}
