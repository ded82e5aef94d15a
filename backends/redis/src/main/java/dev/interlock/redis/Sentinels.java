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
 * Asks Sentinel which server is the primary. A replaced primary may consider itself primary for many more seconds, and
 * a client that stays connected to it could get a lock that the new primary grants as well.
 *
 * <p>Uses one connection to one Sentinel, and replaces it after a failure. Thread-safe.
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

    /** The current address of the primary. */
    CompletableFuture<RedisURI> primary() {
        CompletableFuture<StatefulRedisSentinelConnection<String, String>> sentinel = connected();
        return sentinel.thenCompose(it -> it.async().getMasterAddrByName(uri.getSentinelMasterId()))
                .orTimeout(limitNanos, TimeUnit.NANOSECONDS)
                .thenApply(this::at)
                .whenComplete((primary, error) -> {
                    if (error != null && connection.compareAndSet(sentinel, null)) {
                        sentinel.thenAccept(StatefulRedisSentinelConnection::closeAsync);
                    }
                });
    }

    private CompletableFuture<StatefulRedisSentinelConnection<String, String>> connected() {
        CompletableFuture<StatefulRedisSentinelConnection<String, String>> fresh = new CompletableFuture<>();
        CompletableFuture<StatefulRedisSentinelConnection<String, String>> current =
                connection.updateAndGet(before -> before == null ? fresh : before);
        if (current == fresh) {
            client.connectSentinelAsync(StringCodec.UTF8, uri).whenComplete((made, error) -> {
                if (error != null) {
                    fresh.completeExceptionally(error);
                } else {
                    fresh.complete(made);
                }
            });
        }
        return current == null ? fresh : current;
    }

    private RedisURI at(@Nullable SocketAddress address) {
        if (!(address instanceof InetSocketAddress primary)) {
            throw StoreException.notSent("Sentinel knows no primary \"" + uri.getSentinelMasterId() + "\"", null);
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
