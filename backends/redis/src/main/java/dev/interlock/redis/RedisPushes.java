package dev.interlock.redis;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreListener;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The subscription on which this process receives the grants that the store makes to its waiters.
 *
 * <p>A lost push only costs time, because a waiter's heartbeat also checks for a grant. So a subscription that ends is
 * made again, and one that does not answer a ping is replaced.
 *
 * <p>Thread-safe.
 */
final class RedisPushes {
    private static final System.Logger LOG = System.getLogger(RedisPushes.class.getName());
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long MAX_PAUSE_MILLIS = 2_000;
    private static final long PING_MILLIS = 1_000;

    private final RedisClient client;
    private final Servers servers;
    private final RedisKeys keys;
    private final String channel;
    private final StoreListener listener;
    private final UnaryOperator<Granted> onGrant;
    private final EventExecutor timer;
    private final long silenceLimitNanos;
    private final AtomicReference<@Nullable Subscription> current = new AtomicReference<>();
    private final CompletableFuture<Void> tried = new CompletableFuture<>();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final Future<?> pinging;
    private volatile boolean closed;
    private volatile CompletableFuture<Void> closing = CompletableFuture.completedFuture(null);

    RedisPushes(
            RedisClient client,
            Servers servers,
            RedisKeys keys,
            String channel,
            StoreListener listener,
            UnaryOperator<Granted> onGrant,
            EventExecutor timer,
            long silenceLimitNanos) {
        this.client = client;
        this.servers = servers;
        this.keys = keys;
        this.channel = channel;
        this.listener = listener;
        this.onGrant = onGrant;
        this.timer = timer;
        this.silenceLimitNanos = silenceLimitNanos;
        this.pinging = timer.scheduleAtFixedRate(this::ping, PING_MILLIS, PING_MILLIS, TimeUnit.MILLISECONDS);
        subscribe(FIRST_PAUSE_MILLIS);
    }

    /**
     * Completes once the first subscription is made or has failed. A waiter that queues earlier would miss its push.
     */
    CompletableFuture<Void> tried() {
        return tried;
    }

    private void subscribe(long pauseMillis) {
        if (closed) {
            return;
        }
        CompletableFuture<StatefulRedisPubSubConnection<String, String>> connecting = client.connectPubSubAsync(
                        StringCodec.UTF8, servers.subscribeAt())
                .toCompletableFuture();
        connecting
                .thenCompose(this::subscribe)
                .orTimeout(silenceLimitNanos, TimeUnit.NANOSECONDS)
                .whenComplete((subscription, error) -> {
                    if (error != null) {
                        connecting.thenAccept(StatefulRedisPubSubConnection::closeAsync);
                        retry(pauseMillis, error);
                    } else {
                        subscribed(subscription);
                    }
                });
    }

    private CompletableFuture<Subscription> subscribe(StatefulRedisPubSubConnection<String, String> connection) {
        Subscription subscription = new Subscription(connection);
        connection.addListener(subscription);
        connection.addListener(subscription.disconnects);
        return connection.async().subscribe(channel).toCompletableFuture().thenApply(done -> subscription);
    }

    private void subscribed(Subscription subscription) {
        if (!current.compareAndSet(null, subscription)) {
            subscription.connection.closeAsync();
            return;
        }
        tried.complete(null);
        listener.reconnected();
        if (closed || !subscription.connection.isOpen()) {
            subscription.end();
        }
    }

    private void retry(long pauseMillis, Throwable error) {
        tried.complete(null);
        if (!closed && warned.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Could not subscribe to {0}: waiters of this process poll every 0.4 s until it succeeds ({1})",
                    channel,
                    RedisErrors.cause(error).toString());
        }
        timer.schedule(
                () -> subscribe(Math.min(MAX_PAUSE_MILLIS, 2 * pauseMillis)), pauseMillis, TimeUnit.MILLISECONDS);
    }

    private void ping() {
        Subscription subscription = current.get();
        if (subscription != null) {
            subscription.ping();
        }
    }

    private void received(String message) {
        int first = message.indexOf('#');
        int second = message.indexOf('#', first + 1);
        int third = message.indexOf('#', second + 1);
        LockKey key = third < 0 ? null : keys.key(message.substring(third + 1));
        if (key != null) {
            try {
                OwnerId owner = OwnerText.decode(message.substring(second + 1, third));
                Grant grant = new Grant(key, owner, Long.parseLong(message.substring(0, first)));
                Granted granted =
                        new Granted(grant, Duration.ofMillis(Long.parseLong(message.substring(first + 1, second))));
                listener.granted(onGrant.apply(granted));
            } catch (IllegalArgumentException foreign) {
                LOG.log(System.Logger.Level.DEBUG, "Ignored a message on {0} that Interlock did not send", channel);
            }
        }
    }

    /** Completes once the subscription is closed. */
    CompletableFuture<Void> close() {
        closed = true;
        tried.complete(null);
        pinging.cancel(false);
        Subscription last = current.getAndSet(null);
        if (last != null) {
            closing = last.connection.closeAsync();
        }
        return closing;
    }

    private final class Subscription extends RedisPubSubAdapter<String, String> {
        private final StatefulRedisPubSubConnection<String, String> connection;
        private final RedisConnectionStateListener disconnects = new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
                end();
            }
        };
        private volatile long pingedNanos;
        private volatile boolean awaitingPong;

        Subscription(StatefulRedisPubSubConnection<String, String> connection) {
            this.connection = connection;
        }

        @Override
        public void message(String from, String message) {
            if (from.equals(channel)) {
                received(message);
            }
        }

        void ping() {
            if (!awaitingPong) {
                awaitingPong = true;
                pingedNanos = System.nanoTime();
                connection.async().ping().whenComplete((pong, error) -> awaitingPong = false);
            } else if (System.nanoTime() - pingedNanos > silenceLimitNanos) {
                end();
            }
        }

        void end() {
            // Once only: the driver warns about a second close, and closing reports a disconnect again.
            if (current.compareAndSet(this, null)) {
                connection.closeAsync();
                subscribe(FIRST_PAUSE_MILLIS);
            }
        }
    }
}
