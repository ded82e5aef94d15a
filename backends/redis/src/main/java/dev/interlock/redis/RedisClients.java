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
    /** What is borrowed from a client that the application has already. */
    record Donor(ClientResources resources, ClientOptions options) {
        static Donor of(RedisClient client) {
            return new Donor(client.getResources(), client.getOptions());
        }

        static Donor of(RedisClusterClient client) {
            return new Donor(client.getResources(), ClientOptions.copyOf(client.getOptions()));
        }
    }

    private static final System.Logger LOG = System.getLogger(RedisBackend.class.getName());

    private final RedisClient client;
    private final RedisKeys keys;
    private final Servers servers;
    private final Duration longestGreeting;
    private final Seen seen;
    private final ServerTime time;
    private final EventExecutor timer;
    private final RedisOptions options;
    private final String name;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final List<Pushes> listening = new CopyOnWriteArrayList<>();

    private RedisClients(
            RedisClient client,
            RedisKeys keys,
            Servers servers,
            Duration longestGreeting,
            Seen seen,
            ServerTime time,
            EventExecutor timer,
            RedisOptions options,
            String name) {
        this.client = client;
        this.keys = keys;
        this.servers = servers;
        this.longestGreeting = longestGreeting;
        this.seen = seen;
        this.time = time;
        this.timer = timer;
        this.options = options;
        this.name = name;
    }

    /**
     * What the protocol relies on, whatever else the application chose: a connection that ends stays ended and its calls fail, so that
     * nothing is sent twice behind our back; and no time-outs of the driver's, since the engine has its own.
     */
    static ClientOptions safe(ClientOptions.Builder chosen, Duration silence) {
        return chosen.autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(silence)
                        .keepAlive(true)
                        .build())
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .build();
    }

    static RedisClients connect(
            List<RedisURI> uris, @Nullable Donor donor, RedisOptions options, ClientOptions clientOptions) {
        String name = name(uris);
        RedisClient client = donor == null ? RedisClient.create() : RedisClient.create(donor.resources());
        client.setOptions(clientOptions);
        boolean connected = false;
        try {
            List<RedisURI> limited =
                    uris.stream().map(uri -> limited(uri, options.silence())).toList();
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
     * The driver greets a server for as long as the URI's own time-out says, a minute by default: silence must not last that long. A URI
     * with Sentinels cannot be copied, and stays as it is; our own limit ends the wait for it.
     */
    private static RedisURI limited(RedisURI uri, Duration silence) {
        if (!uri.getSentinels().isEmpty()) {
            return uri;
        }
        RedisURI copy = RedisURI.builder(uri).build();
        copy.setTimeout(silence);
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
                    return await(isCluster(client, uri), name(List.of(uri)), options.silence());
                } catch (StoreException e) {
                    last = e;
                }
                if (!Failures.isCut(last)) {
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
        Seen seen = new Seen(keys.slots());
        ServerTime time = new ServerTime();
        Connector connector = new Connector(client, keys, seen, time, options);
        EventExecutor timer = client.getResources().eventExecutorGroup().next();
        long silenceNanos = options.silence().toNanos();
        Sentinels sentinels =
                uris.get(0).getSentinels().isEmpty() ? null : new Sentinels(client, uris.get(0), silenceNanos);
        Servers servers = cluster
                ? new ClusterServers(uris, keys, connector, seen, timer, silenceNanos)
                : new OneServer(uris.get(0), sentinels, name, connector, timer, silenceNanos);
        return new RedisClients(client, keys, servers, connector.longest(), seen, time, timer, options, name);
    }

    /** Tries everything once, so that a missing right is told at the start and by name. */
    private void probe() {
        try {
            CompletableFuture<Object> refused = servers.all().thenCompose(wires -> {
                int slot = keys.slot(keys.probe());
                Call trial = new Call(Script.PROBE, 1, 1).key(keys.probe()).arg(keys.channel("probe"));
                return servers.call(slot, trial, reply -> reply);
            });
            for (Object right : Reply.list(await(refused, name, longestGreeting.plus(options.silence())))) {
                refusedRight(Reply.text(right));
            }
        } catch (StoreException e) {
            servers.close();
            throw e;
        }
    }

    private void refusedRight(String right) {
        if (!right.startsWith("PUBLISH")) {
            throw StoreException.refused(name + " does not let this user do what locks need: " + right
                    + ". Give it the rights listed under \"Minimal ACL\" in docs/backends/redis.md");
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} does not let this user publish, so waiters hear of a free lock up to 0.4 s late: {1}. Give it the channels {2}*",
                name,
                right,
                keys.channel(""));
    }

    private static <T> T await(CompletableFuture<T> answer, String name, Duration limit) {
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw Failures.connecting(name, e);
        } catch (TimeoutException e) {
            throw StoreException.notSent(name + " did not answer within " + limit, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StoreException.notSent("Interrupted while connecting to " + name, e);
        }
    }

    /** Hosts only: a URI may hold a password. */
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
        return !servers.isAlone();
    }

    RedisKeys keys() {
        return keys;
    }

    Servers servers() {
        return servers;
    }

    Seen seen() {
        return seen;
    }

    ServerTime time() {
        return time;
    }

    RedisOptions options() {
        return options;
    }

    Pushes listen(String channel, StoreListener listener, UnaryOperator<Granted> heard) {
        Pushes pushes = new Pushes(
                client,
                servers,
                keys,
                channel,
                listener,
                heard,
                timer,
                options.silence().toNanos());
        listening.add(pushes);
        return pushes;
    }

    void close() {
        if (closed.compareAndSet(false, true)) {
            // One after the other: the driver warns of connections that it finds half closed.
            Stream.concat(Stream.of(servers.close()), listening.stream().map(Pushes::close))
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
