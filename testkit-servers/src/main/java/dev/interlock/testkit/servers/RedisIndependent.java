package dev.interlock.testkit.servers;

import java.util.List;
import java.util.Map;

/**
 * Several Redis servers without replication. They always belong to the test.
 *
 * @since 0.1.0
 */
public final class RedisIndependent extends RedisTopology {
    private final int count;

    private RedisIndependent(int count) {
        super(RedisServer.VARIABLE, false);
        this.count = count;
    }

    /** This many servers. */
    public static RedisIndependent of(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("At least one server is needed, not " + count + ".");
        }
        return new RedisIndependent(count);
    }

    /** The processes. */
    public List<ServerNode> servers() {
        return nodes();
    }

    /** The addresses for clients, in the order of {@link #servers()}. */
    public List<String> uris() {
        return nodes().stream().map(node -> "redis://" + node.address()).toList();
    }

    @Override
    void launch() {
        for (int i = 0; i < count; i++) {
            server(Map.of());
        }
    }

    @Override
    String title() {
        return count + " independent servers of Redis 7.0";
    }
}
