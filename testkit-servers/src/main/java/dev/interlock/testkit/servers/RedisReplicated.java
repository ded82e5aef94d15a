package dev.interlock.testkit.servers;

import java.util.List;
import java.util.Map;

/**
 * A Redis primary with one replica.
 *
 * <p>{@code INTERLOCK_TEST_REDIS_REPLICATED=redis://host:port} points the shared fixture to a running primary.
 *
 * @since 0.1.0
 */
public final class RedisReplicated extends RedisTopology {
    private static final RedisReplicated SHARED = new RedisReplicated(true);

    private RedisReplicated(boolean shared) {
        super("INTERLOCK_TEST_REDIS_REPLICATED", shared);
    }

    /** The pair that all tests of this JVM use. */
    public static RedisReplicated shared() {
        return SHARED;
    }

    /** A pair that belongs to the test. */
    public static RedisReplicated own() {
        return new RedisReplicated(false);
    }

    /** The address of the primary. */
    public String uri() {
        requireStarted();
        return existing().orElseGet(() -> "redis://" + primary().address());
    }

    /** The process of the primary. */
    public ServerNode primary() {
        return nodes().get(0);
    }

    /** The process of the replica. */
    public ServerNode replica() {
        return nodes().get(1);
    }

    /** Disconnects the replica from the primary; clients still reach both. */
    public void cutReplication() {
        cutReplication(primary(), List.of(replica()));
    }

    /** Reconnects the replica and waits until it follows the primary. */
    public void healReplication() {
        healReplication(List.of(replica()), () -> List.of(replica()));
    }

    @Override
    void launch() {
        ServerNode primary = server(Map.of("repl-diskless-sync-delay", "0"));
        ServerNode replica = replicaOf(primary);
        await("the replica follows", () -> isLinked(replica));
        awaitAcknowledged(primary, 1);
    }

    @Override
    String title() {
        return "Redis 7.0 with a replica";
    }
}
