package dev.interlock.redis;

import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The driver and the servers behind one backend: built once, closed once. */
final class RedisClients {
    /** What is taken from a client that the application already has. */
    record ExistingClient(ClientResources resources, ClientOptions options) {
        static ExistingClient of(RedisClient client) {
            return new ExistingClient(client.getResources(), client.getOptions());
        }

        static ExistingClient of(RedisClusterClient client) {
            return new ExistingClient(client.getResources(), ClientOptions.copyOf(client.getOptions()));
        }
    }

    private static final System.Logger LOG = System.getLogger(RedisBackend.class.getName());

    private final RedisClient client;
    private final RedisKeys keys;
    private final Servers servers;
    private final Duration maxConnectDuration;
    private final HighestNumbers highest;
    private final ServerTime time;
    private final EventExecutor timer;
    private final RedisOptions options;
    private final String name;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final List<RedisPushes> subscriptions = new CopyOnWriteArrayList<>();

    private RedisClients(
            RedisClient client,
            RedisKeys keys,
            Servers servers,
            Duration maxConnectDuration,
            HighestNumbers highest,
            ServerTime time,
            EventExecutor timer,
            RedisOptions options,
            String name) {
        this.client = client;
        this.keys = keys;
        this.servers = servers;
        this.maxConnectDuration = maxConnectDuration;
        this.highest = highest;
        this.time = time;
        this.timer = timer;
        this.options = options;
        this.name = name;
    }

    /**
     * Sets what the protocol relies on, whatever else the application chose. The driver neither reconnects nor repeats
     * calls, so that no call is sent twice without our knowledge. It has no command timeouts, because the engine has
     * its own.
     */
    static ClientOptions safe(ClientOptions.Builder chosen, Duration silenceLimit) {
        return chosen.autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(silenceLimit)
                        .keepAlive(true)
                        .build())
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .build();
    }

    static RedisClients connect(
            List<RedisURI> uris, @Nullable ExistingClient existing, RedisOptions options, ClientOptions clientOptions) {
        String name = name(uris);
        RedisClient client = existing == null ? RedisClient.create() : RedisClient.create(existing.resources());
        client.setOptions(clientOptions);
        boolean connected = false;
        try {
            List<RedisURI> limited = uris.stream()
                    .map(uri -> limited(uri, options.silenceLimit()))
                    .toList();
            RedisClients clients = over(client, limited, isCluster(client, limited, name, options), name, options);
            clients.probe();
            connected = true;
            return clients;
        } catch (StoreException e) {
            throw e.kind() == StoreException.Kind.REFUSED
                    ? new LockRefusedException(String.valueOf(e.getMessage()))
                    : new StoreUnavailableException(String.valueOf(e.getMessage()), e);
        } finally {
            if (!connected) {
                shutDown(client);
            }
        }
    }

    /**
     * Limits the driver's handshake, which otherwise lasts for the timeout of the URI, a minute by default. A URI with
     * Sentinels cannot be copied and stays as it is; our own limit ends the wait for it.
     */
    private static RedisURI limited(RedisURI uri, Duration silenceLimit) {
        if (!uri.getSentinels().isEmpty()) {
            return uri;
        }
        RedisURI copy = RedisURI.builder(uri).build();
        copy.setTimeout(silenceLimit);
        return copy;
    }

    private static boolean isCluster(RedisClient client, List<RedisURI> uris, String name, RedisOptions options) {
        StoreException last = StoreException.notSent("Could not connect to " + name, null);
        for (RedisURI uri : uris) {
            if (!uri.getSentinels().isEmpty()) {
                return false;
            }
            for (int tries = 0; tries < 2; tries++) {
                try {
                    return await(isCluster(client, uri), name(List.of(uri)), options.silenceLimit());
                } catch (StoreException e) {
                    last = e;
                }
                if (!RedisErrors.isCut(last)) {
                    break;
                }
            }
        }
        throw last;
    }

    private static CompletableFuture<Boolean> isCluster(RedisClient client, RedisURI uri) {
        return client.connectAsync(StringCodec.UTF8, uri)
                .toCompletableFuture()
                .thenCompose(connection -> connection
                        .async()
                        .info()
                        .toCompletableFuture()
                        .whenComplete((info, error) -> connection.closeAsync())
                        .thenApply(info -> new ServerFacts(info).isCluster()));
    }

    private static RedisClients over(
            RedisClient client, List<RedisURI> uris, boolean cluster, String name, RedisOptions options) {
        RedisKeys keys = new RedisKeys(options.namespace(), cluster);
        HighestNumbers highest = new HighestNumbers(keys.slots());
        ServerTime time = new ServerTime();
        RedisConnector connector = new RedisConnector(client, keys, highest, time, options);
        EventExecutor timer = client.getResources().eventExecutorGroup().next();
        long silenceLimitNanos = options.silenceLimit().toNanos();
        Sentinels sentinels =
                uris.get(0).getSentinels().isEmpty() ? null : new Sentinels(client, uris.get(0), silenceLimitNanos);
        Servers servers = cluster
                ? new ClusterServers(uris, keys, connector, highest, timer, silenceLimitNanos)
                : new SingleServer(uris.get(0), sentinels, name, connector, timer, silenceLimitNanos);
        return new RedisClients(client, keys, servers, connector.maxDuration(), highest, time, timer, options, name);
    }

    /** Tries every command once, so that a missing permission is reported at start-up and by name. */
    private void probe() {
        try {
            CompletableFuture<List<String>> refused = servers.all()
                    .thenCompose(connections ->
                            servers.call(keys.slot(keys.probe()), RedisCalls.probe(keys), RedisCalls::refused));
            await(refused, name, maxConnectDuration.plus(options.silenceLimit()))
                    .forEach(this::reportRefused);
        } catch (StoreException e) {
            servers.close();
            throw e;
        }
    }

    private void reportRefused(String command) {
        if (!command.startsWith("PUBLISH")) {
            throw StoreException.refused(name + " refuses this user a command that locks need: " + command
                    + ". Grant the permissions listed under \"Minimal ACL\" in docs/backends/redis.md");
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} does not let this user publish, so waiters notice a free lock up to 0.4 s late: {1}."
                        + " Grant access to the channels {2}*",
                name,
                command,
                keys.channel(""));
    }

    private static <T> T await(CompletableFuture<T> answer, String name, Duration limit) {
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw RedisErrors.whileConnecting(name, e);
        } catch (TimeoutException e) {
            throw StoreException.notSent(name + " did not answer within " + limit, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StoreException.notSent("Interrupted while connecting to " + name, e);
        }
    }

    /** Hosts only, because a URI may contain a password. */
    private static String name(List<RedisURI> uris) {
        RedisURI first = uris.get(0);
        if (!first.getSentinels().isEmpty()) {
            return "redis-sentinel://" + addresses(first.getSentinels()) + '#' + first.getSentinelMasterId();
        }
        return (first.isSsl() ? "rediss://" : "redis://") + addresses(uris);
    }

    private static String addresses(List<RedisURI> uris) {
        return uris.stream().map(uri -> uri.getHost() + ':' + uri.getPort()).collect(Collectors.joining(","));
    }

    String name() {
        return name;
    }

    boolean isCluster() {
        return !servers.isSingle();
    }

    RedisKeys keys() {
        return keys;
    }

    Servers servers() {
        return servers;
    }

    HighestNumbers highest() {
        return highest;
    }

    ServerTime time() {
        return time;
    }

    RedisOptions options() {
        return options;
    }

    RedisPushes subscribe(String channel, StoreListener listener, UnaryOperator<Granted> onGrant) {
        RedisPushes pushes = new RedisPushes(
                client,
                servers,
                keys,
                channel,
                listener,
                onGrant,
                timer,
                options.silenceLimit().toNanos());
        subscriptions.add(pushes);
        return pushes;
    }

    void close() {
        if (closed.compareAndSet(false, true)) {
            // The client last: the driver warns about connections that are still closing.
            Stream.concat(Stream.of(servers.close()), subscriptions.stream().map(RedisPushes::close))
                    .reduce((one, other) -> CompletableFuture.allOf(one, other))
                    .orElseThrow()
                    .orTimeout(1, TimeUnit.SECONDS)
                    .whenComplete((done, error) -> shutDown(client));
        }
    }

    private static void shutDown(RedisClient client) {
        client.shutdownAsync(0, 1, TimeUnit.SECONDS);
    }
}
