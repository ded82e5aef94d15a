package dev.interlock.testkit.servers;

import java.util.List;
import java.util.Map;

/**
 * A Redis primary with one replica.
 *
 * <p>{@code INTERLOCK_TEST_REDIS_REPLICATED=redis://host:port} points the shared one to a primary that runs already.
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

    /** A pair of one's own. */
    public static RedisReplicated own() {
        return new RedisReplicated(false);
    }

    /** Where clients find the primary. */
    public String uri() {
        requireStarted();
        return existing().orElseGet(() -> "redis://" + primary().address());
    }

    /** The process that takes writes. */
    public ServerNode primary() {
        return nodes().get(0);
    }

    /** The process that follows. */
    public ServerNode replica() {
        return nodes().get(1);
    }

    /** Cuts the replica off from the primary; clients still reach both. */
    public void cutReplication() {
        cutReplication(primary(), List.of(replica()));
    }

    /** Lets the replica follow again and waits until it does. */
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
