package dev.interlock.redis;

import io.lettuce.core.RedisURI;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One server, or the one that Sentinel names at the moment. */
final class OneServer implements Servers {
    private final RedisURI uri;
    private final Link link;
    private final Link reserved;
    private final AtomicReference<@Nullable ServerFacts> last = new AtomicReference<>();

    OneServer(RedisURI uri, String name, Connector connector, EventExecutor timer, long silenceNanos) {
        this.uri = uri;
        this.link = new Link(name, self -> connect(connector, name, self), timer, silenceNanos);
        this.reserved = new Link(name, self -> connect(connector, name, self), timer, silenceNanos);
    }

    private CompletableFuture<Wire> connect(Connector connector, String name, Link self) {
        return connector.connect(uri, name, last, IntStream.of(0), self::ended);
    }

    @Override
    public <T> CompletableFuture<T> call(int slot, Call call, Function<? super Object, ? extends T> parse) {
        Wire wire = link.open();
        return wire != null ? call(wire, call, parse) : link.wire().thenCompose(made -> call(made, call, parse));
    }

    private <T> CompletableFuture<T> call(Wire wire, Call call, Function<? super Object, ? extends T> parse) {
        return wire.call(call, parse, error -> {
            if (Failures.isDemoted(error)) {
                link.ended(wire);
            }
            return Failures.afterSending(link.server(), error);
        });
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
        return CompletableFuture.allOf(link.close(), reserved.close());
    }
}
