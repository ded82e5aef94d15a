package dev.interlock.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A Redis primary with two replicas, watched by three Sentinels that replace it after one second of silence.
 *
 * <p>{@code INTERLOCK_TEST_REDIS_SENTINEL=host:port,host:port/name} points the shared one to Sentinels that run already.
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

    /** Servers and Sentinels of one's own. */
    public static RedisSentinel own() {
        return new RedisSentinel(false);
    }

    /** Where clients ask for the primary: addresses of the Sentinels, joined by commas. */
    public String addresses() {
        requireStarted();
        return existing()
                .map(address -> address.substring(0, address.lastIndexOf('/')))
                .orElseGet(() -> sentinels().stream().map(ServerNode::address).collect(Collectors.joining(",")));
    }

    /** The name under which the Sentinels know the primary. */
    public String primaryName() {
        return existing()
                .map(address -> address.substring(address.lastIndexOf('/') + 1))
                .orElse(NAME);
    }

    /** The data servers, whatever their part is now. */
    public List<ServerNode> servers() {
        return nodes().subList(0, SERVERS);
    }

    /** The three that watch. */
    public List<ServerNode> sentinels() {
        return nodes().subList(SERVERS, SERVERS + SENTINELS);
    }

    /** The server that the first living Sentinel takes for the primary. */
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

    /** The living servers but the primary. */
    public List<ServerNode> replicas() {
        ServerNode primary = primary();
        return servers().stream()
                .filter(server -> server != primary && server.isAlive())
                .toList();
    }

    /** Tells the Sentinels to replace the primary although it is well, and waits until they have; gives the new one. */
    public ServerNode failover() {
        ServerNode before = primary();
        command(sentinels().get(0), "SENTINEL", "FAILOVER", NAME);
        return awaitPrimaryOtherThan(before);
    }

    /** Waits until all living Sentinels agree on a primary that is not this one, and that it takes writes; gives it. */
    public ServerNode awaitPrimaryOtherThan(ServerNode former) {
        await(
                "another primary than " + former.address() + " is chosen",
                () -> primary() != former && isPrimary(primary()) && sentinelsAgreeOn(primary()));
        return primary();
    }

    /** Cuts the replicas off from the primary; clients and Sentinels still reach all of them. */
    public void cutReplication() {
        cutReplication(primary(), replicas());
    }

    /** Lets the replicas follow again and waits until they do. */
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
        awaitAcquaintance();
    }

    /** A Sentinel that does not know the others yet would not take part in a vote. */
    private void awaitAcquaintance() {
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

    /** A Sentinel; it writes into its configuration what it learns. */
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
