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
 * Everyone who takes part in the suite {@code redis}, on one server. Each has keys of its own.
 *
 * <p>Locks of the same library share its client, as they do in an application; it is opened with the first of them and
 * closed with the field.
 */
final class RedisField implements AutoCloseable {
    /** As long as locks are held by default; none ends in a turn. */
    static final Duration LEASE = Duration.ofSeconds(30);

    private final Supplier<String> uri;
    private final Duration lease;
    private final PeerClients clients;

    /** With leases of this length; the server is looked up when it is needed. */
    RedisField(Supplier<String> uri, Duration lease) {
        this.uri = uri;
        this.lease = lease;
        this.clients = new PeerClients(uri, lease);
    }

    List<Contender> all() {
        return List.of(
                Contender.ours(() -> InterlockLocking.leasing(backend("interlock"), lease)),
                Contender.ours("strict", () -> InterlockLocking.strictFifo(backend("interlock_strict"))),
                Contender.floor("raw", () -> new RawLocking(uri.get(), "raw:", lease)),
                Contender.floor("raw_fenced", () -> new RawFencedLocking(uri.get(), "raw_fenced:", lease)),
                redisson("redisson", Kind.REENTRANT),
                redisson("redisson_fenced", Kind.FENCED),
                redisson("redisson_fair", Kind.FAIR),
                redisson("redisson_multi", Kind.MULTI),
                redisson("redisson_group", Kind.GROUP),
                Contender.peer("spring", () -> SpringLocking.spinning(clients.spring(), "spring", lease)),
                Contender.peer("spring_pubsub", () -> SpringLocking.notified(clients.spring(), "spring_pubsub", lease)),
                Contender.peer("shedlock", this::shedlock));
    }

    /** With its default settings: its release deletes the lock without looking whose it is. */
    private ShedLocking shedlock() {
        return new ShedLocking(new RedisLockProvider(clients.spring(), "bench"), lease, () -> {});
    }

    private Backend backend(String namespace) {
        return RedisBackend.builder(uri.get()).namespace(namespace).build();
    }

    private Contender redisson(String name, Kind kind) {
        return Contender.peer(name, () -> new RedissonLocking(clients.redisson(), name + ':', lease, kind));
    }

    /** One of them. */
    Contender named(String name) {
        return all().stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no contender " + name));
    }

    /** What a contender's client sends beside scripts and subscriptions, and its scripts do not. */
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
