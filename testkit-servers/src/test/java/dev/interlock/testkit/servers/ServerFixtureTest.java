package dev.interlock.testkit.servers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.testkit.process.ChildProcess;
import dev.interlock.testkit.process.Command;
import dev.interlock.testkit.process.Folders;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

@Tag("server")
class ServerFixtureTest {
    @Test
    void sharedServerIsOneAndOutlivesClose() {
        RedisServer one = RedisServer.shared();
        one.start();
        long pid = one.node().pid();
        one.close();
        RedisServer.shared().start();
        assertThat(RedisServer.shared().node().pid()).isEqualTo(pid);
    }

    @Test
    void sharedServerRefusesFaultsAndSettings() {
        RedisServer redis = RedisServer.shared();
        redis.start();
        ServerNode node = redis.node();
        List<Runnable> faults =
                List.of(node::kill, node::stop, node::pause, node::resume, node::restart, node::restartEmpty);
        assertThat(faults)
                .allSatisfy(fault -> assertThatThrownBy(fault::run)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(node.address())
                        .hasMessageContaining("own()"));
        assertThatThrownBy(() -> redis.with("maxmemory", "1mb")).isInstanceOf(IllegalStateException.class);
        assertThat(redis.command("PING")).isEqualTo("PONG");
    }

    @Test
    void ownServerEndsWithItsFixture() {
        RedisServer redis = RedisServer.own();
        redis.start();
        ServerNode node = redis.node();
        assertThat(node.dataFolder()).isDirectory();
        redis.close();
        assertThat(node.isAlive()).isFalse();
        assertThat(node.dataFolder()).doesNotExist();
        redis.close();
    }

    @Test
    void useBeforeTheStartFails() {
        assertThatThrownBy(() -> RedisServer.own().uri())
                .hasMessageContaining("Redis 7.0")
                .hasMessageContaining("@RegisterExtension");
    }

    @Test
    void settingAfterTheStartIsRefused() {
        try (RedisServer redis = RedisServer.own()) {
            redis.start();
            assertThatThrownBy(() -> redis.version(RedisVersion.V6_2)).hasMessageContaining("started");
        }
    }

    @Test
    void serverThatDoesNotStartIsReportedWithItsLog() {
        RedisServer redis = RedisServer.own().with("no-such-setting", "1");
        assertThatThrownBy(redis::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ended while it started")
                .hasMessageContaining("no-such-setting");
    }

    @Test
    void runningServerIsNotStartedTwice() {
        try (RedisServer redis = RedisServer.own()) {
            redis.start();
            assertThatThrownBy(() -> redis.node().start()).hasMessageContaining("is already running");
        }
    }

    @Test
    void namespacesAreNeverReused() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            assertThat(seen.add(RedisServer.shared().namespace())).isTrue();
        }
    }

    @Test
    void variablePointsSharedFixturesToARunningServer() throws Exception {
        RedisServer redis = RedisServer.shared();
        redis.start();
        Map<String, String> pointing = Map.of(RedisServer.VARIABLE, redis.uri());
        assertThat(report(pointing, "shared"))
                .containsExactly(
                        redis.uri(),
                        "INTERLOCK_TEST_REDIS points to a running server, whose processes the tests do not control");
        assertThat(report(pointing, "own").get(0))
                .startsWith("redis://127.0.0.1:")
                .isNotEqualTo(redis.uri());
    }

    @Test
    void runningServerMayRequireAPassword() throws Exception {
        try (RedisServer guarded = RedisServer.own()) {
            guarded.start();
            guarded.command("CONFIG", "SET", "requirepass", "s3cret");
            String address = guarded.node().address();
            Map<String, String> right = Map.of(RedisServer.VARIABLE, "redis://:s3cret@" + address);
            assertThat(report(right, "ping")).containsExactly("PONG");
            Map<String, String> byName = Map.of(RedisServer.VARIABLE, "redis://default:s3cret@" + address);
            assertThat(report(byName, "ping")).containsExactly("PONG");
            Map<String, String> wrong = Map.of(RedisServer.VARIABLE, "redis://:wr0ng@" + address);
            assertThat(report(wrong, "ping"))
                    .singleElement()
                    .asString()
                    .contains(address)
                    .doesNotContain("wr0ng");
        }
    }

    @Test
    void missingServerSkipsTheTestWithAMessage() throws Exception {
        List<String> said = report(nothingThere(), "missing");
        assertThat(said.get(0)).isEqualTo(TestAbortedException.class.getName());
        assertThat(said.get(1)).contains("org.signal:embedded-redis:0.9.1", "Run 'mvn");
        assertThat(said.get(2)).isEqualTo(TestAbortedException.class.getName());
        assertThat(said.get(3)).contains("etcd-server", "apt-get download");
    }

    @Test
    void missingServerFailsTheTestInContinuousIntegration() throws Exception {
        Map<String, String> variables = new HashMap<>(nothingThere());
        variables.put("CI", "true");
        List<String> said = report(variables, "missing");
        assertThat(said.get(0)).isEqualTo(MissingServerException.class.getName());
        assertThat(said.get(2)).isEqualTo(MissingServerException.class.getName());
    }

    @Test
    void jvmCanBePutOnAClockThatIsStepped() throws Exception {
        ServerClock clock = ServerClock.in(Folders.temporary("clock"));
        clock.step(Duration.ofHours(-3));
        List<String> said = report(clock.variables(), "time");
        assertThat(Instant.parse(said.get(0)))
                .isBetween(
                        Instant.now().minusSeconds(3 * 3600 + 60), Instant.now().minusSeconds(3 * 3600 - 60));
    }

    private static Map<String, String> nothingThere() {
        String empty = Folders.temporary("empty").toString();
        return Map.of(ServerCache.VARIABLE, empty, "PATH", empty, "REPOSITORY", empty, "CI", "false");
    }

    /** Returns what another JVM with these variables prints. */
    private static List<String> report(Map<String, String> variables, String question) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                "/usr/bin/env",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dinterlock.started.processes=" + System.getProperty("interlock.started.processes"),
                "-cp",
                System.getProperty("java.class.path")));
        variables.forEach((name, value) -> line.add(1, name + "=" + value));
        if (variables.containsKey("REPOSITORY")) {
            line.add(line.size() - 2, "-Dmaven.repo.local=" + variables.get("REPOSITORY"));
        }
        line.addAll(List.of(Reporter.class.getName(), question));
        Path folder = Folders.temporary("reporter");
        ChildProcess child = ChildProcess.startTalking(new Command(line, Map.of(), folder, folder.resolve("log")));
        String printed = new String(child.output().readAllBytes(), UTF_8);
        // Not killed: that would kill its reaper before it has cleaned up.
        await().until(() -> !child.isAlive());
        assertThat(printed).as(child.logTail(20)).isNotEmpty();
        return printed.lines().toList();
    }

    /** The other JVM. */
    static final class Reporter {
        private Reporter() {}

        public static void main(String[] question) {
            switch (question[0]) {
                case "shared" -> describe(RedisServer.shared());
                case "own" -> describe(RedisServer.own());
                case "missing" -> {
                    complain(RedisServer.shared());
                    complain(EtcdServers.shared());
                }
                case "ping" -> ping(RedisServer.shared());
                case "time" -> System.out.println(Instant.now());
                default -> throw new IllegalArgumentException(question[0]);
            }
        }

        private static void describe(RedisServer redis) {
            redis.start();
            System.out.println(redis.uri());
            try {
                redis.node();
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage().replaceFirst(".*; |\\.$", "").replaceFirst("\\.$", ""));
            }
        }

        private static void ping(RedisServer redis) {
            redis.start();
            try {
                System.out.println(redis.command("PING"));
            } catch (UncheckedIOException e) {
                System.out.println(e.getMessage() + ": " + e.getCause().getMessage());
            }
        }

        private static void complain(ServerFixture fixture) {
            try {
                fixture.beforeAll(null);
            } catch (RuntimeException e) {
                System.out.println(e.getClass().getName() + "\n" + e.getMessage());
            }
        }
    }
}
