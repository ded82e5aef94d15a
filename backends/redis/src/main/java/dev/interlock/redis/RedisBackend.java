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
 * Locks in Redis: one server, Sentinel or Cluster, from version 6.2.
 *
 * <pre>{@code
 * try (Interlock interlock = Interlock.over(RedisBackend.connect("redis://localhost:6379"))) {
 *     …
 * }
 * }</pre>
 *
 * <p>A lock is the plain string key {@code lock:<name>}, so clients that use {@code SET key value NX PX} and compare-and-delete exclude
 * these locks and are excluded by them. Tokens grow through restart, {@code FLUSHALL} and failover, unless the server's clock also
 * steps back. A lock that was granted but not replicated can be granted again after a failover; {@link Durability#replicaAck} makes
 * that less likely, and the fencing token makes it harmless.
 *
 * <p>When the connection is lost, calls fail as unavailable within the caller's patience, held leases end at their deadlines with a
 * signal to their holders, and the connection is made again by itself. Thread-safe.
 */
public final class RedisBackend implements Backend {
    private final RedisClients clients;
    private final StoreCapabilities capabilities;

    private RedisBackend(RedisClients clients) {
        this.clients = clients;
        this.capabilities = new StoreCapabilities(
                StoreCapabilities.Tokens.CLOCK_BOUNDED,
                StoreCapabilities.Ownership.PER_GRANT,
                clients.isCluster() ? StoreCapabilities.MultiKey.ONE_BY_ONE : StoreCapabilities.MultiKey.ONE_TRIP,
                StoreCapabilities.Queue.SERVER,
                StoreCapabilities.Push.GRANTS,
                Set.of(LockMode.values()),
                true,
                Duration.ofMillis(1),
                true,
                true,
                true);
    }

    /**
     * Connects with safe defaults. The URI is Lettuce's: {@code redis://user:password@host:6379}, {@code rediss://…} for TLS,
     * {@code redis-sentinel://host1,host2,host3/0#name} for Sentinel. A cluster is recognised by itself; name several of its
     * servers, so that one that is down does not matter.
     *
     * @throws StoreUnavailableException if no server answers
     * @throws LockRefusedException if the server cannot be trusted with locks, or refuses this user; the message names the setting
     */
    public static RedisBackend connect(String... uris) {
        return builder(uris).build();
    }

    /** Options for the servers at these URIs, see {@link #connect}. */
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
            // Without the cause: its message repeats the URI, and that may hold a password.
            throw new IllegalArgumentException(
                    "Not a Redis URI: write redis://[user:password@]host:port, rediss:// for TLS,"
                            + " redis-sentinel://host1,host2/0#name for Sentinel");
        }
    }

    /** Options for the servers at these URIs, for what a string cannot say. */
    public static Builder builder(RedisURI... uris) {
        return new Builder(List.of(uris), null);
    }

    /**
     * Options for a server that an existing client reaches: threads, TLS and other options are taken from that client; connections are
     * made for this backend alone. The client is not closed.
     */
    public static Builder builder(RedisClient client, RedisURI uri) {
        Objects.requireNonNull(client, "client is null: leave it out to have one made");
        return new Builder(
                List.of(Objects.requireNonNull(uri, "uri is null: say where the server is")),
                RedisClients.Donor.of(client));
    }

    /** The same for a cluster that an existing client reaches. */
    public static Builder builder(RedisClusterClient client) {
        Objects.requireNonNull(client, "client is null: leave it out to have one made");
        List<RedisURI> uris = new ArrayList<>();
        client.getPartitions().forEach(node -> uris.add(node.getUri()));
        return new Builder(uris, RedisClients.Donor.of(client));
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

    /** Closes the connections and ends the threads, but not those of a client that was handed in. */
    @Override
    public void close() {
        clients.close();
    }

    /** When a server may grant again that has lost its memory; {@link #STANDARD} unless told otherwise. */
    public enum Guard {
        /**
         * A process that sees a server restarted, and whose data may be older than its last grant, closes it to everyone until locks
         * that it may have forgotten have ended.
         */
        STANDARD,

        /** Like {@link #STANDARD}, and also any server that is younger than the longest lease, and one that was just promoted. */
        STRICT,

        /** Grants at once, so that after a restart two holders are possible; for demonstrations and throw-away data. */
        OFF
    }

    /**
     * When a grant counts.
     *
     * @param replicas how many replicas must have acknowledged it
     * @param within how long to wait for them; a grant that is not acknowledged is given back
     */
    public record Durability(int replicas, Duration within) {
        /** As soon as the primary has it. */
        public static final Durability NONE = new Durability(0, Duration.ofMillis(500));

        /** Refuses numbers that make no sense. */
        public Durability {
            Objects.requireNonNull(within, "within is null: say how long to wait for replicas");
            if (replicas < 0 || replicas > 100) {
                throw new IllegalArgumentException("replicas is " + replicas + ": choose 0 to 100");
            }
            Limits.check("within", within, Duration.ofMillis(1), Duration.ofSeconds(10));
        }

        /** Once so many replicas have acknowledged it, within half a second. */
        public static Durability replicaAck(int replicas) {
            return new Durability(replicas, Duration.ofMillis(500));
        }
    }

    /** The options of a {@link RedisBackend}; every one has a default that is safe. */
    public static final class Builder {
        private final List<RedisURI> uris;
        private final RedisClients.@Nullable Donor donor;
        private RedisOptions options = RedisOptions.STANDARD;
        private @Nullable SslOptions ssl;

        private Builder(List<RedisURI> uris, RedisClients.@Nullable Donor donor) {
            if (uris.isEmpty()) {
                throw new IllegalArgumentException("No URI: give at least one, for example redis://localhost:6379");
            }
            this.uris = List.copyOf(uris);
            this.donor = donor;
        }

        /** Keeps these locks apart from others on the same server: their keys begin with it. None by default. */
        public Builder namespace(String namespace) {
            options = options.withNamespace(RedisKeys.check(namespace));
            return this;
        }

        /** When a grant counts; {@link Durability#NONE} by default. */
        public Builder durability(Durability durability) {
            options = options.withDurability(
                    Objects.requireNonNull(durability, "durability is null: for example Durability.replicaAck(1)"));
            return this;
        }

        /** When a restarted server may grant again; {@link Guard#STANDARD} by default. */
        public Builder restartGuard(Guard guard) {
            options = options.withGuard(Objects.requireNonNull(guard, "guard is null: choose STANDARD, STRICT or OFF"));
            return this;
        }

        /**
         * The longest lease, with its lock-delay, that any process takes in this namespace; 60 s by default. The restart guard keeps a server
         * closed for that long after its start.
         */
        public Builder longestLease(Duration lease) {
            Limits.check("longestLease", lease, Duration.ofSeconds(1), Duration.ofDays(1));
            options = options.withLongestLease(lease);
            return this;
        }

        /** How long a server may keep silent before its connection is given up, and how long connecting may take; 2 s by default. */
        public Builder silence(Duration limit) {
            Limits.check("silence", limit, Duration.ofMillis(100), Duration.ofMinutes(1));
            options = options.withSilence(limit);
            return this;
        }

        /** Trust and key material for TLS ({@code rediss://}); the platform's by default. */
        public Builder ssl(SslOptions sslOptions) {
            ssl = Objects.requireNonNull(sslOptions, "sslOptions is null: leave it out for the platform's");
            return this;
        }

        /** Uses a server that evicts keys when memory runs short, although it may then throw away a lock that is held. */
        public Builder acceptEviction() {
            options = options.withEvictionAccepted();
            return this;
        }

        /**
         * Connects and looks whether the server can be trusted with locks.
         *
         * @throws StoreUnavailableException if no server answers
         * @throws LockRefusedException if the server cannot be trusted with locks, or refuses this user
         */
        public RedisBackend build() {
            if (options.durability().within().compareTo(options.silence()) >= 0) {
                throw new IllegalArgumentException(
                        "Replicas have " + options.durability().within()
                                + " to acknowledge, but a server that is silent for " + options.silence()
                                + " is given up: make silence longer");
            }
            return new RedisBackend(RedisClients.connect(uris, donor, options, clientOptions()));
        }

        private ClientOptions clientOptions() {
            ClientOptions.Builder client =
                    donor == null ? ClientOptions.builder() : donor.options().mutate();
            SslOptions given = ssl;
            if (given != null) {
                client.sslOptions(given);
            }
            return RedisClients.safe(client, options.silence());
        }
    }
}
