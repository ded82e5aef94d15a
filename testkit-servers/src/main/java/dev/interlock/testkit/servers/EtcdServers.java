package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One etcd server, or a cluster of three.
 *
 * <p>{@code INTERLOCK_TEST_ETCD=http://host:port,http://host:port} points the shared fixtures to a running cluster.
 *
 * @since 0.1.0
 */
public final class EtcdServers extends ServerFixture {
    private static final EtcdServers SHARED = new EtcdServers(1, true);
    private static final EtcdServers SHARED_CLUSTER = new EtcdServers(3, true);
    private static final String TITLE = "etcd of Debian";

    private final int count;

    private EtcdServers(int count, boolean shared) {
        super("INTERLOCK_TEST_ETCD", shared);
        this.count = count;
    }

    /** The single server that all tests of this JVM use. */
    public static EtcdServers shared() {
        return SHARED;
    }

    /** The cluster of three that all tests of this JVM use. */
    public static EtcdServers sharedCluster() {
        return SHARED_CLUSTER;
    }

    /** A single server that belongs to the test. */
    public static EtcdServers own() {
        return new EtcdServers(1, false);
    }

    /** A cluster of three that belongs to the test. */
    public static EtcdServers ownCluster() {
        return new EtcdServers(3, false);
    }

    /** Where clients connect. */
    public List<String> endpoints() {
        requireStarted();
        return existing()
                .map(addresses -> Pattern.compile(",").splitAsStream(addresses).toList())
                .orElseGet(() -> nodes().stream().map(EtcdServers::url).toList());
    }

    /** The processes. */
    public List<ServerNode> servers() {
        return nodes();
    }

    /** The current leader; empty while none is known. */
    public Optional<ServerNode> leader() {
        return nodes().stream().filter(EtcdServers::leads).findFirst();
    }

    /** Revokes a lease, as an operator would; keys attached to it are deleted. */
    public void revokeLease(long leaseId) {
        request("/v3/lease/revoke", "{\"ID\":\"" + leaseId + "\"}");
    }

    /** Compacts the store: history before this revision is deleted. */
    public void compact(long revision) {
        request("/v3/kv/compaction", "{\"revision\":\"" + revision + "\",\"physical\":true}");
    }

    /** The current revision of the store. */
    public long revision() {
        String answer = request("/v3/kv/range", "{\"key\":\"AA==\"}");
        return Long.parseLong(field(answer, "revision").orElseThrow());
    }

    /**
     * Sends a request of etcd's JSON interface, such as {@code /v3/kv/put}, to the first server that answers.
     *
     * @throws UncheckedIOException if no server answers or the answer is an error
     */
    public String request(String path, String json) {
        IOException last = new IOException("no server");
        for (String endpoint : endpoints()) {
            try {
                return EtcdHttp.post(endpoint + path, json);
            } catch (IOException e) {
                last = e;
            }
        }
        throw new UncheckedIOException(title() + " did not answer " + path, last);
    }

    private static boolean leads(ServerNode node) {
        try {
            String status = EtcdHttp.post(url(node) + "/v3/maintenance/status", "{}");
            return field(status, "leader").equals(field(status, "member_id"));
        } catch (IOException e) {
            return false;
        }
    }

    /** One number of an answer; etcd writes 64-bit numbers as text. */
    private static Optional<String> field(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":\"(\\d+)\"").matcher(json);
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    private static String url(ServerNode node) {
        return "http://" + node.address();
    }

    @Override
    void launch() {
        List<String> peers = IntStream.rangeClosed(1, count)
                .mapToObj(id -> "http://127.0.0.1:" + Ports.free())
                .toList();
        quorum(IntStream.rangeClosed(1, count)
                .<Recipe>mapToObj(id -> new EtcdRecipe(id, peers))
                .toList());
    }

    @Override
    String title() {
        return count == 1 ? TITLE : TITLE + ", " + count + " servers";
    }

    private record EtcdRecipe(int id, List<String> peers) implements Recipe {
        @Override
        public String name() {
            return TITLE;
        }

        @Override
        public List<String> command(Path data, int port) {
            String client = "http://127.0.0.1:" + port;
            String peer = peers.get(id - 1);
            return List.of(
                    DebianPackages.unpacked("etcd-server")
                            .resolve("usr/bin/etcd")
                            .toString(),
                    "--name=n" + id,
                    "--data-dir=" + data.resolve("etcd"),
                    "--listen-client-urls=" + client,
                    "--advertise-client-urls=" + client,
                    "--listen-peer-urls=" + peer,
                    "--initial-advertise-peer-urls=" + peer,
                    "--initial-cluster="
                            + IntStream.rangeClosed(1, peers.size())
                                    .mapToObj(i -> "n" + i + "=" + peers.get(i - 1))
                                    .collect(Collectors.joining(",")),
                    "--initial-cluster-token=" + peers.get(0),
                    "--logger=zap",
                    "--log-outputs=stderr");
        }

        @Override
        public boolean isReady(Path data, int port) throws IOException {
            return EtcdHttp.get("http://127.0.0.1:" + port + "/health").contains("true");
        }
    }
}
