package dev.interlock.bench.redis;

import dev.interlock.bench.Contender;
import dev.interlock.bench.InterlockLocking;
import dev.interlock.bench.ShedLocking;
import dev.interlock.bench.redis.RedissonLocking.Kind;
import dev.interlock.redis.RedisBackend;
import dev.interlock.spi.Backend;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;

/**
 * All contenders of the suite {@code redis}, on one server. Each has its own keys.
 *
 * <p>Locks of the same library share one client, as they do in an application. The first of them opens it, and this set
 * closes it.
 */
final class RedisContenderSet implements AutoCloseable {
    /** The default length of a lease. No lease ends during a turn. */
    static final Duration LEASE = Duration.ofSeconds(30);

    private final Supplier<String> uri;
    private final Duration lease;
    private final PeerClients clients;

    /** With leases of this length. The URI is resolved on first use. */
    RedisContenderSet(Supplier<String> uri, Duration lease) {
        this.uri = uri;
        this.lease = lease;
        this.clients = new PeerClients(uri, lease);
    }

    List<Contender> all() {
        return List.of(
                Contender.ours(() -> InterlockLocking.leasing(backend("interlock"), lease)),
                Contender.ours("strict", () -> InterlockLocking.strictFifo(backend("interlock_strict"))),
                Contender.floor("raw", () -> new RawRedisLocking(uri.get(), "raw:", lease)),
                Contender.floor("raw_fenced", () -> new RawFencedLocking(uri.get(), "raw_fenced:", lease)),
                redisson("redisson", Kind.REENTRANT),
                redisson("redisson_fenced", Kind.FENCED),
                redisson("redisson_fair", Kind.FAIR),
                redisson("redisson_multi", Kind.MULTI),
                redisson("redisson_group", Kind.GROUP),
                Contender.peer("spring", () -> SpringRedisLocking.spinning(clients.spring(), "spring", lease)),
                Contender.peer(
                        "spring_pubsub", () -> SpringRedisLocking.notified(clients.spring(), "spring_pubsub", lease)),
                Contender.peer("shedlock", this::shedlock));
    }

    /** With default settings: release deletes the lock without checking its owner. */
    private ShedLocking shedlock() {
        return new ShedLocking(new RedisLockProvider(clients.spring(), "bench"), lease, () -> {});
    }

    private Backend backend(String namespace) {
        return RedisBackend.builder(uri.get()).namespace(namespace).build();
    }

    private Contender redisson(String name, Kind kind) {
        return Contender.peer(name, () -> new RedissonLocking(clients.redisson(), name + ':', lease, kind));
    }

    /** Returns the contender of this name. */
    Contender named(String name) {
        return all().stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no contender " + name));
    }

    /**
     * The commands, apart from scripts and subscriptions, that the client of a contender sends and its scripts do not.
     */
    static Set<String> sentBy(String contender) {
        return switch (contender) {
            case "raw" -> Set.of("set");
            case "shedlock" -> Set.of("set", "del");
            default -> Set.of();
        };
    }

    @Override
    public void close() {
        clients.close();
    }
}
