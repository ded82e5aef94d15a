package dev.interlock.redis;

import dev.interlock.spi.StoreException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Asks the Sentinels which server is the primary. A server that was replaced may call itself primary for many seconds more, until it is
 * told; whoever stays with it locks beside everybody else.
 *
 * <p>One connection to one of them, made again after it has failed.
 */
final class Sentinels {
    private final RedisClient client;
    private final RedisURI uri;
    private final long limitNanos;
    private final AtomicReference<@Nullable CompletableFuture<StatefulRedisSentinelConnection<String, String>>>
            connection = new AtomicReference<>();

    Sentinels(RedisClient client, RedisURI uri, long limitNanos) {
        this.client = client;
        this.uri = uri;
        this.limitNanos = limitNanos;
    }

    /** Where the primary is now. */
    CompletableFuture<RedisURI> primary() {
        CompletableFuture<StatefulRedisSentinelConnection<String, String>> asked = connected();
        return asked.thenCompose(sentinel -> sentinel.async().getMasterAddrByName(uri.getSentinelMasterId()))
                .orTimeout(limitNanos, TimeUnit.NANOSECONDS)
                .thenApply(this::at)
                .whenComplete((primary, error) -> {
                    if (error != null && connection.compareAndSet(asked, null)) {
                        asked.thenAccept(StatefulRedisSentinelConnection::closeAsync);
                    }
                });
    }

    private CompletableFuture<StatefulRedisSentinelConnection<String, String>> connected() {
        CompletableFuture<StatefulRedisSentinelConnection<String, String>> fresh = new CompletableFuture<>();
        CompletableFuture<StatefulRedisSentinelConnection<String, String>> there =
                connection.updateAndGet(before -> before == null ? fresh : before);
        if (there == fresh) {
            client.connectSentinelAsync(StringCodec.UTF8, uri).whenComplete((made, error) -> {
                if (error != null) {
                    fresh.completeExceptionally(error);
                } else {
                    fresh.complete(made);
                }
            });
        }
        return there == null ? fresh : there;
    }

    private RedisURI at(@Nullable SocketAddress address) {
        if (!(address instanceof InetSocketAddress primary)) {
            throw StoreException.notSent("The Sentinels know no primary \"" + uri.getSentinelMasterId() + "\"", null);
        }
        RedisURI direct = RedisURI.builder()
                .withHost(primary.getHostString())
                .withPort(primary.getPort())
                .withSsl(uri)
                .withAuthentication(uri)
                .withDatabase(uri.getDatabase())
                .build();
        direct.setClientName(uri.getClientName());
        direct.setTimeout(uri.getTimeout());
        return direct;
    }

    void close() {
        CompletableFuture<StatefulRedisSentinelConnection<String, String>> last = connection.getAndSet(null);
        if (last != null) {
            last.thenAccept(StatefulRedisSentinelConnection::closeAsync);
        }
    }
}
