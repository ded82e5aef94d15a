package dev.interlock.redis;

import io.lettuce.core.RedisURI;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One server, or the primary that Sentinel currently names. */
final class SingleServer implements Servers {
    private static final long SENTINEL_CHECK_MILLIS = 1_000;

    private final RedisURI uri;
    private final @Nullable Sentinels sentinels;
    private final @Nullable Future<?> following;
    private final ReconnectingConnection shared;
    private final ReconnectingConnection reserved;
    private final AtomicReference<@Nullable ServerFacts> last = new AtomicReference<>();

    SingleServer(
            RedisURI uri,
            @Nullable Sentinels sentinels,
            String name,
            RedisConnector connector,
            EventExecutor timer,
            long silenceLimitNanos) {
        this.uri = uri;
        this.sentinels = sentinels;
        this.shared =
                new ReconnectingConnection(name, self -> connect(connector, name, self), timer, silenceLimitNanos);
        this.reserved =
                new ReconnectingConnection(name, self -> connect(connector, name, self), timer, silenceLimitNanos);
        this.following = sentinels == null
                ? null
                : timer.scheduleAtFixedRate(
                        () -> follow(sentinels), SENTINEL_CHECK_MILLIS, SENTINEL_CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private CompletableFuture<ServerConnection> connect(
            RedisConnector connector, String name, ReconnectingConnection self) {
        CompletableFuture<RedisURI> primary =
                sentinels == null ? CompletableFuture.completedFuture(uri) : sentinels.primary();
        return primary.thenCompose(at -> connector.connect(at, name, last, IntStream.of(0), self::replace));
    }

    /** Leaves a server that Sentinel has replaced, even if that server still considers itself the primary. */
    private void follow(Sentinels sentinels) {
        if (shared.current() == null && reserved.current() == null) {
            return;
        }
        sentinels.primary().thenAccept(primary -> {
            leaveUnless(primary, shared);
            leaveUnless(primary, reserved);
        });
    }

    private static void leaveUnless(RedisURI primary, ReconnectingConnection reconnecting) {
        ServerConnection connection = reconnecting.current();
        if (connection != null && !connection.isTo(primary)) {
            reconnecting.replace(connection);
        }
    }

    @Override
    public <T> CompletableFuture<T> call(int slot, ScriptCall call, Function<? super Object, ? extends T> parse) {
        return send(connection -> connection.call(call, parse, error -> failure(connection, error)));
    }

    @Override
    public <T> CompletableFuture<T> call(
            int slot, Supplier<ScriptCall> deferred, Function<? super Object, ? extends T> parse) {
        return send(connection -> connection.call(deferred, parse, error -> failure(connection, error)));
    }

    private <T> CompletableFuture<T> send(Function<ServerConnection, CompletableFuture<T>> call) {
        ServerConnection connection = shared.current();
        return connection != null ? call.apply(connection) : shared.connection().thenCompose(call);
    }

    private Throwable failure(ServerConnection connection, Throwable error) {
        if (RedisErrors.isDemoted(error)) {
            shared.replace(connection);
        }
        return RedisErrors.afterSending(shared.server(), error);
    }

    @Override
    public CompletableFuture<ServerConnection> connection(int slot) {
        return shared.connection();
    }

    @Override
    public CompletableFuture<ServerConnection> reserved(int slot) {
        return reserved.connection();
    }

    @Override
    public CompletableFuture<List<ServerConnection>> all() {
        return shared.connection().thenApply(List::of);
    }

    @Override
    public RedisURI subscribeAt() {
        return uri;
    }

    @Override
    public boolean isSingle() {
        return true;
    }

    @Override
    public CompletableFuture<Void> close() {
        if (following != null) {
            following.cancel(false);
        }
        if (sentinels != null) {
            sentinels.close();
        }
        return CompletableFuture.allOf(shared.close(), reserved.close());
    }
}
