package dev.interlock.redis;

import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Locks in Redis 6.2 or newer: one server, Sentinel or Cluster.
 *
 * <pre>{@code
 * try (Interlock interlock = Interlock.over(RedisBackend.connect("redis://localhost:6379"))) {
 *     …
 * }
 * }</pre>
 *
 * <p>A lock is the plain string key {@code lock:<name>}. Foreign clients that use {@code SET key value NX PX} and
 * compare-and-delete therefore exclude Interlock, and Interlock excludes them. Tokens keep growing across restarts,
 * {@code FLUSHALL} and failovers, unless the server's clock also steps back. A lock that was granted but not replicated
 * can be granted again after a failover; {@link Durability#replicaAck} makes that less likely, and the fencing token
 * makes it harmless.
 *
 * <p>When the connection is lost, calls fail as unavailable within the caller's patience. Leases that cannot be renewed
 * end at their deadlines, and their holders are notified. The backend reconnects by itself. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RedisBackend implements Backend {
    private final RedisClients clients;
    private final StoreCapabilities capabilities;

    private RedisBackend(RedisClients clients) {
        this.clients = clients;
        this.capabilities = StoreCapabilities.builder()
                .tokens(StoreCapabilities.Tokens.CLOCK_BOUNDED)
                .multiKey(
                        clients.isCluster() ? StoreCapabilities.MultiKey.ONE_BY_ONE : StoreCapabilities.MultiKey.ATOMIC)
                .queue(StoreCapabilities.Queue.SERVER)
                .push(StoreCapabilities.Push.GRANTS)
                .modes(Set.of(LockMode.values()))
                .lockDelay(true)
                .granularity(Duration.ofMillis(1))
                .introspection(true)
                .forcedRelease(true)
                .waitReports(true)
                .build();
    }

    /**
     * Connects with safe defaults. The URI has Lettuce's syntax: {@code redis://user:password@host:6379},
     * {@code rediss://…} for TLS, {@code redis-sentinel://host1,host2,host3/0#name} for Sentinel. A cluster is detected
     * automatically; give the URIs of several of its servers, so that one of them may be down.
     *
     * @throws StoreUnavailableException if no server answers
     * @throws LockRefusedException if the server cannot be trusted with locks or refuses this user; the message names
     *     the setting
     */
    public static RedisBackend connect(String... uris) {
        return builder(uris).build();
    }

    /** Starts a backend for the servers at these URIs, see {@link #connect}. */
    public static Builder builder(String... uris) {
        Objects.requireNonNull(uris, "uris is null: give one, for example redis://localhost:6379");
        RedisURI[] parsed = new RedisURI[uris.length];
        for (int i = 0; i < uris.length; i++) {
            parsed[i] = parse(uris[i]);
        }
        return builder(parsed);
    }

    private static RedisURI parse(String uri) {
        Objects.requireNonNull(uri, "uri is null: give one, for example redis://localhost:6379");
        try {
            return RedisURI.create(uri);
        } catch (IllegalArgumentException | NullPointerException e) {
            // Without the cause, whose message repeats the URI and thus possibly a password.
            throw new IllegalArgumentException(
                    "Not a Redis URI: write redis://[user:password@]host:port, rediss:// for TLS,"
                            + " redis-sentinel://host1,host2/0#name for Sentinel");
        }
    }

    /** Starts a backend for servers whose URIs have options that a string cannot express. */
    public static Builder builder(RedisURI... uris) {
        return new Builder(List.of(uris), null);
    }

    /**
     * Starts a backend that uses the threads, TLS settings and other options of an existing client. The backend opens
     * its own connections and never closes the client.
     */
    public static Builder builder(RedisClient client, RedisURI uri) {
        Objects.requireNonNull(client, "client is null: call builder(RedisURI...) to use no existing client");
        return new Builder(
                List.of(Objects.requireNonNull(uri, "uri is null: say where the server is")),
                RedisClients.ExistingClient.of(client));
    }

    /** The same for a cluster client. */
    public static Builder builder(RedisClusterClient client) {
        Objects.requireNonNull(client, "client is null: call builder(RedisURI...) to use no existing client");
        List<RedisURI> uris = new ArrayList<>();
        client.getPartitions().forEach(node -> uris.add(node.getUri()));
        return new Builder(uris, RedisClients.ExistingClient.of(client));
    }

    @Override
    public String name() {
        return clients.name();
    }

    @Override
    public StoreCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        return new RedisLockStore(clients, context);
    }

    /** Closes the connections and stops the threads of this backend, but not those of an existing client. */
    @Override
    public void close() {
        clients.close();
    }

    /** When a server that may have lost grants may grant again. The default is {@link #STANDARD}. */
    public enum Guard {
        /**
         * After a restart from data that may be older than the last grant, the first process that notices the restart
         * closes the server to all clients until the locks that it may have lost have ended.
         */
        STANDARD,

        /**
         * Like {@link #STANDARD}, and also closes a server that started less than the longest lease ago or was just
         * promoted.
         */
        STRICT,

        /** Grants at once, so a lock can have two holders after a restart. For demonstrations and throw-away data. */
        OFF
    }

    /**
     * How many replicas must acknowledge a grant before it counts.
     *
     * @param replicas how many replicas must acknowledge the grant
     * @param within how long to wait for them; a grant that is not acknowledged in time is released
     */
    public record Durability(int replicas, Duration within) {
        /** A grant counts as soon as the primary has it. */
        public static final Durability NONE = new Durability(0, Duration.ofMillis(500));

        /** Rejects values outside their range. */
        public Durability {
            Objects.requireNonNull(within, "within is null: set how long to wait for replicas");
            if (replicas < 0 || replicas > 100) {
                throw new IllegalArgumentException("replicas is " + replicas + ": choose 0 to 100");
            }
            DurationLimits.check("within", within, Duration.ofMillis(1), Duration.ofSeconds(10));
        }

        /** A grant counts once this many replicas have acknowledged it, within half a second. */
        public static Durability replicaAck(int replicas) {
            return new Durability(replicas, Duration.ofMillis(500));
        }
    }

    /** The options of a {@link RedisBackend}. Every option has a safe default. */
    public static final class Builder {
        private final List<RedisURI> uris;
        private final RedisClients.@Nullable ExistingClient existing;
        private RedisOptions options = RedisOptions.STANDARD;
        private @Nullable SslOptions ssl;

        private Builder(List<RedisURI> uris, RedisClients.@Nullable ExistingClient existing) {
            if (uris.isEmpty()) {
                throw new IllegalArgumentException("No URI: give at least one, for example redis://localhost:6379");
            }
            this.uris = List.copyOf(uris);
            this.existing = existing;
        }

        /** Separates these locks from others on the same server: a prefix of all keys. None by default. */
        public Builder namespace(String namespace) {
            options = options.withNamespace(RedisKeys.check(namespace));
            return this;
        }

        /** How many replicas must acknowledge a grant. The default is {@link Durability#NONE}. */
        public Builder durability(Durability durability) {
            options = options.withDurability(
                    Objects.requireNonNull(durability, "durability is null: for example Durability.replicaAck(1)"));
            return this;
        }

        /** When a restarted server may grant again. The default is {@link Guard#STANDARD}. */
        public Builder restartGuard(Guard guard) {
            options = options.withGuard(Objects.requireNonNull(guard, "guard is null: choose STANDARD, STRICT or OFF"));
            return this;
        }

        /**
         * The longest lease, including its lock-delay, that any process takes in this namespace. The default is 60 s.
         * The restart guard keeps a server closed for that long after its start.
         */
        public Builder longestLease(Duration lease) {
            DurationLimits.check("longestLease", lease, Duration.ofSeconds(1), Duration.ofDays(1));
            options = options.withLongestLease(lease);
            return this;
        }

        /**
         * How long a server may stay silent while calls are pending before its connection is replaced, and how long
         * each step of connecting may take. The default is 2 s.
         */
        public Builder silenceLimit(Duration limit) {
            DurationLimits.check("silenceLimit", limit, Duration.ofMillis(100), Duration.ofMinutes(1));
            options = options.withSilenceLimit(limit);
            return this;
        }

        /** Trust and key material for TLS ({@code rediss://}). The default is the platform's. */
        public Builder ssl(SslOptions sslOptions) {
            ssl = Objects.requireNonNull(sslOptions, "sslOptions is null: leave it out to use the platform's");
            return this;
        }

        /** Accepts a server that evicts keys when memory runs short, although it may evict a lock that is held. */
        public Builder acceptEviction() {
            options = options.withEvictionAccepted();
            return this;
        }

        /**
         * Connects and checks whether the server can be trusted with locks.
         *
         * @throws StoreUnavailableException if no server answers
         * @throws LockRefusedException if the server cannot be trusted with locks, or refuses this user
         */
        public RedisBackend build() {
            if (options.durability().within().compareTo(options.silenceLimit()) >= 0) {
                throw new IllegalArgumentException(
                        "Replicas have " + options.durability().within()
                                + " to acknowledge, but the connection to a server that is silent for "
                                + options.silenceLimit() + " is replaced: raise silenceLimit");
            }
            return new RedisBackend(RedisClients.connect(uris, existing, options, clientOptions()));
        }

        private ClientOptions clientOptions() {
            ClientOptions.Builder client = existing == null
                    ? ClientOptions.builder()
                    : existing.options().mutate();
            SslOptions given = ssl;
            if (given != null) {
                client.sslOptions(given);
            }
            return RedisClients.safe(client, options.silenceLimit());
        }
    }
}
