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

/** One server, or the one that the Sentinels name at the moment. */
final class OneServer implements Servers {
    private static final long FOLLOW_MILLIS = 1_000;

    private final RedisURI uri;
    private final @Nullable Sentinels sentinels;
    private final @Nullable Future<?> following;
    private final Link link;
    private final Link reserved;
    private final AtomicReference<@Nullable ServerFacts> last = new AtomicReference<>();

    OneServer(
            RedisURI uri,
            @Nullable Sentinels sentinels,
            String name,
            Connector connector,
            EventExecutor timer,
            long silenceNanos) {
        this.uri = uri;
        this.sentinels = sentinels;
        this.link = new Link(name, self -> connect(connector, name, self), timer, silenceNanos);
        this.reserved = new Link(name, self -> connect(connector, name, self), timer, silenceNanos);
        this.following = sentinels == null
                ? null
                : timer.scheduleAtFixedRate(
                        () -> follow(sentinels), FOLLOW_MILLIS, FOLLOW_MILLIS, TimeUnit.MILLISECONDS);
    }

    private CompletableFuture<Wire> connect(Connector connector, String name, Link self) {
        CompletableFuture<RedisURI> where =
                sentinels == null ? CompletableFuture.completedFuture(uri) : sentinels.primary();
        return where.thenCompose(at -> connector.connect(at, name, last, IntStream.of(0), self::ended));
    }

    /** Leaves a server that the Sentinels have replaced, though it may not know that yet. */
    private void follow(Sentinels asked) {
        if (link.open() == null && reserved.open() == null) {
            return;
        }
        asked.primary().thenAccept(now -> {
            leave(link, now);
            leave(reserved, now);
        });
    }

    private static void leave(Link link, RedisURI now) {
        Wire wire = link.open();
        if (wire != null && !wire.isTo(now)) {
            link.ended(wire);
        }
    }

    @Override
    public <T> CompletableFuture<T> call(int slot, Call call, Function<? super Object, ? extends T> parse) {
        return over(wire -> wire.call(call, parse, error -> failure(wire, error)));
    }

    @Override
    public <T> CompletableFuture<T> call(int slot, Supplier<Call> late, Function<? super Object, ? extends T> parse) {
        return over(wire -> wire.call(late, parse, error -> failure(wire, error)));
    }

    private <T> CompletableFuture<T> over(Function<Wire, CompletableFuture<T>> call) {
        Wire wire = link.open();
        return wire != null ? call.apply(wire) : link.wire().thenCompose(call);
    }

    private Throwable failure(Wire wire, Throwable error) {
        if (Failures.isDemoted(error)) {
            link.ended(wire);
        }
        return Failures.afterSending(link.server(), error);
    }

    @Override
    public CompletableFuture<Wire> wire(int slot) {
        return link.wire();
    }

    @Override
    public CompletableFuture<Wire> reserved(int slot) {
        return reserved.wire();
    }

    @Override
    public CompletableFuture<List<Wire>> all() {
        return link.wire().thenApply(List::of);
    }

    @Override
    public RedisURI listenAt() {
        return uri;
    }

    @Override
    public boolean isAlone() {
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
        return CompletableFuture.allOf(link.close(), reserved.close());
    }
}
