package dev.interlock.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One ZooKeeper server.
 *
 * @param id its number in the ensemble, from 1
 * @param peers host, quorum port and election port of each member
 */
record ZooKeeperRecipe(int id, List<String> peers) implements Recipe {
    static final String TITLE = "ZooKeeper 3.9.3";

    /** Curator's test classes, which contain the server, and a logger. */
    private static final List<MavenArtifact> ARTIFACTS = List.of(
            new MavenArtifact("org.apache.curator", "curator-test", "5.9.0"),
            new MavenArtifact("org.slf4j", "slf4j-simple", "1.7.30"));

    /** Netty is needed for encrypted connections only; the others are test libraries of Curator. */
    private static final List<String> NOT_NEEDED =
            List.of("io.netty", "org.junit.jupiter", "org.junit.platform", "org.opentest4j", "org.apiguardian");

    @Override
    public String name() {
        return TITLE;
    }

    private static Path jars() {
        return ServerCache.entry(
                "zookeeper-curator-test-5.9.0",
                folder -> MavenArtifact.withDependencies(folder, ARTIFACTS, NOT_NEEDED));
    }

    @Override
    public void prepare(Path data, int port) throws IOException {
        Files.writeString(data.resolve("myid"), id + "\n");
        String ensemble = IntStream.range(0, peers.size() == 1 ? 0 : peers.size())
                .mapToObj(i -> "server." + (i + 1) + "=" + peers.get(i) + "\n")
                .collect(Collectors.joining());
        Files.writeString(data.resolve("zoo.cfg"), """
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                tickTime=500
                initLimit=20
                syncLimit=10
                minSessionTimeout=1000
                maxSessionTimeout=60000
                maxClientCnxns=0
                admin.enableServer=false
                4lw.commands.whitelist=*
                %s""".formatted(data, port, ensemble));
    }

    @Override
    public List<String> command(Path data, int port) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                jars() + "/*",
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                data.resolve("zoo.cfg").toString());
    }

    @Override
    public boolean isReady(Path data, int port) throws IOException {
        return ZooKeeperProtocol.ask(port, "srvr").contains("Mode: ");
    }
}
