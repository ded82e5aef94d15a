package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One ZooKeeper server, or an ensemble of three; each is a JVM of its own.
 *
 * <p>{@code INTERLOCK_TEST_ZOOKEEPER=host:port,host:port} points the shared fixtures to a running ensemble.
 *
 * @since 0.1.0
 */
public final class ZooKeeperServers extends ServerFixture {
    private static final ZooKeeperServers SHARED = new ZooKeeperServers(1, true);
    private static final ZooKeeperServers SHARED_ENSEMBLE = new ZooKeeperServers(3, true);

    private final int count;

    private ZooKeeperServers(int count, boolean shared) {
        super("INTERLOCK_TEST_ZOOKEEPER", shared);
        this.count = count;
    }

    /** The single server that all tests of this JVM use. */
    public static ZooKeeperServers shared() {
        return SHARED;
    }

    /** The ensemble of three that all tests of this JVM use. */
    public static ZooKeeperServers sharedEnsemble() {
        return SHARED_ENSEMBLE;
    }

    /** A single server that belongs to the test. */
    public static ZooKeeperServers own() {
        return new ZooKeeperServers(1, false);
    }

    /** An ensemble of three that belongs to the test. */
    public static ZooKeeperServers ownEnsemble() {
        return new ZooKeeperServers(3, false);
    }

    /** The connect string for clients: host and port of each server, joined by commas. */
    public String connectString() {
        requireStarted();
        return existing()
                .orElseGet(() -> nodes().stream().map(ServerNode::address).collect(Collectors.joining(",")));
    }

    /** The processes. */
    public List<ServerNode> servers() {
        return nodes();
    }

    /** The current leader; empty while there is none. */
    public Optional<ServerNode> leader() {
        return nodes().stream()
                .filter(node -> mode(node).map(mode -> !mode.equals("follower")).orElse(false))
                .findFirst();
    }

    private static Optional<String> mode(ServerNode node) {
        try {
            return ZooKeeperProtocol.ask(node.port(), "srvr")
                    .lines()
                    .filter(line -> line.startsWith("Mode: "))
                    .map(line -> line.substring("Mode: ".length()))
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Expires a client's session. A second connection attaches to the session and closes it, so the client under test
     * sees an expired session that it did not close itself.
     *
     * @param sessionId the client's {@code getSessionId()}
     * @param password the client's {@code getSessionPasswd()}
     */
    public void expireSession(long sessionId, byte[] password) {
        URI first = URI.create("zk://" + connectString().replaceFirst(",.*", ""));
        try {
            ZooKeeperProtocol.closeSession(first.getHost(), first.getPort(), sessionId, password);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not end session 0x" + Long.toHexString(sessionId), e);
        }
    }

    @Override
    void launch() {
        List<String> peers = IntStream.range(0, count)
                .mapToObj(i -> "127.0.0.1:" + Ports.free() + ":" + Ports.free())
                .toList();
        quorum(IntStream.rangeClosed(1, count)
                .<Recipe>mapToObj(id -> new ZooKeeperRecipe(id, peers))
                .toList());
    }

    @Override
    String title() {
        return count == 1 ? ZooKeeperRecipe.TITLE : ZooKeeperRecipe.TITLE + ", " + count + " servers";
    }
}
