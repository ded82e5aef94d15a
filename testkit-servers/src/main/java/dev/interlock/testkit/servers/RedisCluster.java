package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Ports;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A Redis Cluster of three primaries.
 *
 * <p>{@code INTERLOCK_TEST_REDIS_CLUSTER=redis://host:port,redis://host:port} points the shared fixture to a running
 * cluster.
 *
 * @since 0.1.0
 */
public final class RedisCluster extends RedisTopology {
    private static final RedisCluster SHARED = new RedisCluster(true);
    private static final int PRIMARIES = 3;
    private static final int SLOTS = 16_384;

    private RedisCluster(boolean shared) {
        super("INTERLOCK_TEST_REDIS_CLUSTER", shared);
    }

    /** The cluster that all tests of this JVM use. */
    public static RedisCluster shared() {
        return SHARED;
    }

    /** A cluster that belongs to the test. */
    public static RedisCluster own() {
        return new RedisCluster(false);
    }

    /** The addresses that clients start with, joined by commas. */
    public String uris() {
        requireStarted();
        return existing()
                .orElseGet(() -> primaries().stream()
                        .map(node -> "redis://" + node.address())
                        .collect(Collectors.joining(",")));
    }

    /** The processes; the first has the lowest slots. */
    public List<ServerNode> primaries() {
        return nodes();
    }

    @Override
    void launch() {
        int firstBus = 0;
        for (int i = 0; i < PRIMARIES; i++) {
            int bus = Ports.free();
            ServerNode node = server(Map.of(
                    "cluster-enabled", "yes", "cluster-port", Integer.toString(bus), "cluster-node-timeout", "2000"));
            command(node, "CLUSTER", "ADDSLOTSRANGE", slot(i), Integer.toString(Integer.parseInt(slot(i + 1)) - 1));
            command(node, "CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            if (i == 0) {
                firstBus = bus;
            } else {
                ServerNode first = allNodes().get(0);
                command(
                        node,
                        "CLUSTER",
                        "MEET",
                        first.host(),
                        Integer.toString(first.port()),
                        Integer.toString(firstBus));
            }
        }
        // On all nodes: a node that does not know the others yet refuses commands although the rest is ready.
        await(
                "all nodes report that the cluster is ok",
                () -> allNodes().stream().allMatch(this::isOk));
    }

    private static String slot(int part) {
        return Integer.toString(part * SLOTS / PRIMARIES);
    }

    private boolean isOk(ServerNode node) {
        String info = command(node, "CLUSTER", "INFO");
        return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + PRIMARIES);
    }

    @Override
    String title() {
        return "Redis 7.0 Cluster";
    }
}
