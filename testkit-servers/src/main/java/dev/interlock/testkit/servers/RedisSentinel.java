package dev.interlock.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A Redis primary with two replicas and three Sentinels, which replace the primary after one second of silence.
 *
 * <p>{@code INTERLOCK_TEST_REDIS_SENTINEL=host:port,host:port/name} points the shared fixture to running Sentinels.
 *
 * @since 0.1.0
 */
public final class RedisSentinel extends RedisTopology {
    private static final RedisSentinel SHARED = new RedisSentinel(true);
    private static final String NAME = "interlock";
    private static final int SERVERS = 3;
    private static final int SENTINELS = 3;

    private RedisSentinel(boolean shared) {
        super("INTERLOCK_TEST_REDIS_SENTINEL", shared);
    }

    /** The Sentinels that all tests of this JVM use. */
    public static RedisSentinel shared() {
        return SHARED;
    }

    /** Servers and Sentinels that belong to the test. */
    public static RedisSentinel own() {
        return new RedisSentinel(false);
    }

    /** The addresses of the Sentinels, joined by commas. */
    public String addresses() {
        requireStarted();
        return existing()
                .map(address -> address.substring(0, address.lastIndexOf('/')))
                .orElseGet(() -> sentinels().stream().map(ServerNode::address).collect(Collectors.joining(",")));
    }

    /** The name of the primary in the Sentinels' configuration. */
    public String primaryName() {
        return existing()
                .map(address -> address.substring(address.lastIndexOf('/') + 1))
                .orElse(NAME);
    }

    /** The data servers, whichever of them is the primary. */
    public List<ServerNode> servers() {
        return nodes().subList(0, SERVERS);
    }

    /** The three Sentinels. */
    public List<ServerNode> sentinels() {
        return nodes().subList(SERVERS, SERVERS + SENTINELS);
    }

    /** The primary according to the first living Sentinel. */
    public ServerNode primary() {
        ServerNode sentinel =
                sentinels().stream().filter(ServerNode::isAlive).findFirst().orElseThrow();
        String port = command(sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)
                .lines()
                .toList()
                .get(1);
        return servers().stream()
                .filter(server -> server.port() == Integer.parseInt(port))
                .findFirst()
                .orElseThrow();
    }

    /** The living servers except the primary. */
    public List<ServerNode> replicas() {
        ServerNode primary = primary();
        return servers().stream()
                .filter(server -> server != primary && server.isAlive())
                .toList();
    }

    /** Makes the Sentinels replace a healthy primary, waits until they have, and returns the new one. */
    public ServerNode failover() {
        ServerNode before = primary();
        command(sentinels().get(0), "SENTINEL", "FAILOVER", NAME);
        return awaitPrimaryOtherThan(before);
    }

    /** Waits until all living Sentinels agree on a primary other than this one and it accepts writes; returns it. */
    public ServerNode awaitPrimaryOtherThan(ServerNode former) {
        await(
                "a primary other than " + former.address() + " is chosen",
                () -> primary() != former && isPrimary(primary()) && sentinelsAgreeOn(primary()));
        return primary();
    }

    /** Disconnects the replicas from the primary; clients and Sentinels still reach all of them. */
    public void cutReplication() {
        cutReplication(primary(), replicas());
    }

    /** Reconnects the replicas and waits until they follow the primary. */
    public void healReplication() {
        healReplication(servers().stream().filter(ServerNode::isAlive).toList(), this::replicas);
    }

    private boolean isPrimary(ServerNode server) {
        return command(server, "ROLE").startsWith("master");
    }

    private boolean sentinelsAgreeOn(ServerNode primary) {
        return sentinels().stream()
                .filter(ServerNode::isAlive)
                .allMatch(sentinel -> command(sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)
                        .endsWith("\n" + primary.port()));
    }

    @Override
    void launch() {
        ServerNode primary = server(Map.of("repl-diskless-sync-delay", "0"));
        for (int i = 1; i < SERVERS; i++) {
            ServerNode replica = replicaOf(primary);
            await("the replica follows", () -> isLinked(replica));
        }
        for (int i = 0; i < SENTINELS; i++) {
            node(new SentinelRecipe(primary.port()), false);
        }
        awaitDiscovery();
    }

    /** A Sentinel that does not know the others yet would not take part in a vote. */
    private void awaitDiscovery() {
        await(
                "the Sentinels know each other and the replicas",
                () -> allNodes().subList(SERVERS, SERVERS + SENTINELS).stream().allMatch(this::knowsAll));
    }

    private boolean knowsAll(ServerNode sentinel) {
        List<String> words =
                command(sentinel, "SENTINEL", "MASTER", NAME).lines().toList();
        return words.get(words.indexOf("num-slaves") + 1).equals(Integer.toString(SERVERS - 1))
                && words.get(words.indexOf("num-other-sentinels") + 1).equals(Integer.toString(SENTINELS - 1));
    }

    @Override
    String title() {
        return "Redis 7.0 with Sentinels";
    }

    /** A Sentinel. It writes what it learns into its configuration. */
    private record SentinelRecipe(int primaryPort) implements Recipe {
        @Override
        public String name() {
            return "Redis 7.0 Sentinel";
        }

        @Override
        public void prepare(Path data, int port) throws IOException {
            Files.writeString(data.resolve("sentinel.conf"), """
                    port %d
                    bind 127.0.0.1
                    dir %s
                    sentinel monitor %s 127.0.0.1 %d 2
                    sentinel down-after-milliseconds %3$s 1000
                    sentinel failover-timeout %3$s 5000
                    """.formatted(port, data, NAME, primaryPort));
        }

        @Override
        public List<String> command(Path data, int port) {
            return List.of(
                    RedisVersion.V7_0.program().toString(),
                    data.resolve("sentinel.conf").toString(),
                    "--sentinel");
        }

        @Override
        public boolean isReady(Path data, int port) throws IOException {
            return Resp.send("127.0.0.1", port, "PING").equals("PONG");
        }
    }
}
