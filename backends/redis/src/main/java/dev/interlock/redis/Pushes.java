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
 * The one subscription of this process: hears that a waiter was granted its lock.
 *
 * <p>A push that is lost costs time only, since waiters also ask. So a subscription that ends is simply made again, and
 * one that does not answer a ping is given up.
 */
final class Pushes {
    private static final System.Logger LOG = System.getLogger(Pushes.class.getName());
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;
    private static final long PING_MILLIS = 1_000;

    private final RedisClient client;
    private final Servers servers;
    private final RedisKeys keys;
    private final String channel;
    private final StoreListener listener;
    private final UnaryOperator<Granted> heard;
    private final EventExecutor timer;
    private final long silenceNanos;
    private final AtomicReference<@Nullable Subscription> current = new AtomicReference<>();
    private final CompletableFuture<Void> tried = new CompletableFuture<>();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final Future<?> pinging;
    private volatile boolean closed;
    private volatile CompletableFuture<Void> leaving = CompletableFuture.completedFuture(null);

    Pushes(
            RedisClient client,
            Servers servers,
            RedisKeys keys,
            String channel,
            StoreListener listener,
            UnaryOperator<Granted> heard,
            EventExecutor timer,
            long silenceNanos) {
        this.client = client;
        this.servers = servers;
        this.keys = keys;
        this.channel = channel;
        this.listener = listener;
        this.heard = heard;
        this.timer = timer;
        this.silenceNanos = silenceNanos;
        this.pinging = timer.scheduleAtFixedRate(this::ping, PING_MILLIS, PING_MILLIS, TimeUnit.MILLISECONDS);
        subscribe(FIRST_PAUSE_MILLIS);
    }

    /** Done once the first subscription stands or has failed: a waiter that queues earlier could not hear. */
    CompletableFuture<Void> tried() {
        return tried;
    }

    private void subscribe(long pauseMillis) {
        if (closed) {
            return;
        }
        CompletableFuture<StatefulRedisPubSubConnection<String, String>> connecting =
                client.connectPubSubAsync(StringCodec.UTF8, servers.listenAt()).toCompletableFuture();
        connecting
                .thenCompose(this::subscribe)
                .orTimeout(silenceNanos, TimeUnit.NANOSECONDS)
                .whenComplete((subscription, error) -> {
                    if (error != null) {
                        connecting.thenAccept(StatefulRedisPubSubConnection::closeAsync);
                        again(pauseMillis, error);
                    } else {
                        stands(subscription);
                    }
                });
    }

    private CompletableFuture<Subscription> subscribe(StatefulRedisPubSubConnection<String, String> connection) {
        Subscription subscription = new Subscription(connection);
        connection.addListener(subscription);
        connection.addListener(subscription.ending);
        return connection.async().subscribe(channel).toCompletableFuture().thenApply(done -> subscription);
    }

    private void stands(Subscription subscription) {
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

    private void again(long pauseMillis, Throwable error) {
        tried.complete(null);
        if (!closed && warned.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Could not subscribe to {0}: waiters of this process ask every 0.4 s until that works ({1})",
                    channel,
                    Failures.cause(error).toString());
        }
        timer.schedule(
                () -> subscribe(Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis)), pauseMillis, TimeUnit.MILLISECONDS);
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
                OwnerId owner = Owners.decode(message.substring(second + 1, third));
                Grant grant = new Grant(key, owner, Long.parseLong(message.substring(0, first)));
                Granted granted =
                        new Granted(grant, Duration.ofMillis(Long.parseLong(message.substring(first + 1, second))));

                listener.granted(heard.apply(granted));
            } catch (IllegalArgumentException notOurs) {
                LOG.log(System.Logger.Level.DEBUG, "A message on {0} is none of ours", channel);
            }
        }
    }

    /** Done once there is no subscription any more. */
    CompletableFuture<Void> close() {
        closed = true;
        tried.complete(null);
        pinging.cancel(false);
        Subscription last = current.getAndSet(null);
        if (last != null) {
            leaving = last.connection.closeAsync();
        }
        return leaving;
    }

    private final class Subscription extends RedisPubSubAdapter<String, String> {
        private final StatefulRedisPubSubConnection<String, String> connection;
        private final RedisConnectionStateListener ending = new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
                end();
            }
        };
        private volatile long askedNanos;
        private volatile boolean waiting;

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
            if (!waiting) {
                waiting = true;
                askedNanos = System.nanoTime();
                connection.async().ping().whenComplete((pong, error) -> waiting = false);
            } else if (System.nanoTime() - askedNanos > silenceNanos) {
                end();
            }
        }

        void end() {
            // Once: the driver warns of a second time, and closing is itself an end that is told.
            if (current.compareAndSet(this, null)) {
                connection.closeAsync();
                subscribe(FIRST_PAUSE_MILLIS);
            }
        }
    }
}
