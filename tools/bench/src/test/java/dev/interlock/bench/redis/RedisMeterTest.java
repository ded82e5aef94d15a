package dev.interlock.bench.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.Contender;
import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.ServerMeter;
import dev.interlock.testkit.servers.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the counted calls with the commands that MONITOR shows. */
@Tag("full")
@Tag("server")
class RedisMeterTest {
    @RegisterExtension
    static final RedisServer redis = RedisServer.own();

    private static final int OPERATIONS = 10;
    private static final String END = "the-end";

    static Stream<String> contenders() {
        return new RedisContenderSet(() -> "", RedisContenderSet.LEASE)
                .all().stream().map(Contender::name);
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void callsAreWhatClientsSend(String name) throws IOException {
        ServerMeter meter = new RedisMeter(redis, RedisContenderSet.sentBy(name));
        try (RedisContenderSet contenderSet = new RedisContenderSet(redis::uri, RedisContenderSet.LEASE);
                Locking locking = contenderSet.named(name).opener().get()) {
            LockGuard guard = locking.guard("bench:metered");
            // The first operation may also connect and load scripts.
            guard.run(() -> {});
            try (Watcher watcher = new Watcher()) {
                ServerMeter.Reading before = meter.read();
                for (int i = 0; i < OPERATIONS; i++) {
                    guard.run(() -> {});
                }
                ServerMeter.Reading use = meter.read().since(before);

                List<String> seen = watcher.sentByClients();
                // A ping belongs to no operation. On a slow computer, an idle client may send one.
                long counted = seen.stream()
                        .filter(command -> !command.equals("ping"))
                        .filter(command -> !(name.startsWith("redisson") && command.equals("del")))
                        .count();
                assertThat((long) use.calls()).as(seen.toString()).isEqualTo(counted);
                assertThat(use.calls()).isGreaterThanOrEqualTo(2 * OPERATIONS);
                assertThat(use.commands()).isGreaterThanOrEqualTo(use.calls());
            }
        }
    }

    @Test
    void leasesOfAnotherStepDoNotCountAsHeld() {
        Set<String> names = Set.of("bench:step_2-0", "bench:step_2-1");
        try (RedisContenderSet contenderSet = new RedisContenderSet(redis::uri, RedisContenderSet.LEASE)) {
            for (String name : List.of("interlock", "raw", "redisson", "spring", "shedlock")) {
                redis.command("FLUSHALL");
                try (Locking locking = contenderSet.named(name).opener().get()) {
                    locking.hold("bench:step_1-0");
                    locking.hold("bench:step_2-0");
                    locking.hold("bench:step_2-1").run();

                    assertThat(RedisMeter.held(redis, names)).as(name).isOne();
                }
            }
        }
    }

    /** A connection that sees every command. */
    private static final class Watcher implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader lines;

        Watcher() throws IOException {
            URI uri = URI.create(redis.uri());
            socket = new Socket(uri.getHost(), uri.getPort());
            lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
            socket.getOutputStream().write("MONITOR\r\n".getBytes(UTF_8));
            assertThat(lines.readLine()).isEqualTo("+OK");
        }

        /** The commands so far, without those of this class and those that scripts call. */
        List<String> sentByClients() throws IOException {
            redis.command("ECHO", END);
            List<String> commands = new ArrayList<>();
            for (String line = lines.readLine(); !line.contains(END); line = lines.readLine()) {
                // +1339518083.107412 [0 127.0.0.1:60866] "keys" "*", or [0 lua] if a script called it.
                String command = line.substring(line.indexOf('"') + 1, line.indexOf('"', line.indexOf('"') + 1))
                        .toLowerCase(Locale.ROOT);
                if (!line.contains(" lua] ") && !command.equals("info")) {
                    commands.add(command);
                }
            }
            return commands;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
