package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testkit.faults.Direction;
import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A slow server whose set-up takes many calls, as raising all counters of a cluster node does. */
@Tag("server")
class SlowConnectTest {
    private static final Duration SILENCE_LIMIT = Duration.ofSeconds(2);

    @RegisterExtension
    final RedisServer redis = RedisServer.own();

    private final RedisClient client = RedisClient.create();

    @AfterEach
    void shutDown() {
        client.shutdown();
    }

    private CompletableFuture<ServerConnection> connect(FaultProxy proxy) {
        RedisKeys keys = new RedisKeys("", true);
        RedisOptions strict =
                RedisOptions.STANDARD.withGuard(RedisBackend.Guard.STRICT).withSilenceLimit(SILENCE_LIMIT);
        return new RedisConnector(client, keys, new HighestNumbers(keys.slots()), new ServerTime(), strict)
                .connect(
                        RedisURI.create("127.0.0.1", proxy.port()),
                        "slow",
                        new AtomicReference<>(),
                        IntStream.range(0, keys.slots()),
                        ended -> {});
    }

    private FaultProxy proxy() {
        return FaultProxy.to("127.0.0.1", redis.node().port(), Framing.resp());
    }

    @Test
    void slowServerThatIsNeverSilentIsConnected() throws Exception {
        try (FaultProxy proxy = proxy();
                Fault slow = proxy.bandwidth(Direction.TO_SERVER, 600_000)) {
            long began = System.nanoTime();
            ServerConnection connection = connect(proxy).get(60, TimeUnit.SECONDS);
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("the time to connect, which must exceed the silence limit")
                    .isGreaterThan(SILENCE_LIMIT);
            assertThat(slow.acted()).isPositive();
            connection.end();
        }
    }

    @Test
    void serverThatFallsSilentDuringSetUpIsAbandoned() {
        try (FaultProxy proxy = proxy();
                Fault silent = proxy.hold(Matching.requestContaining("EVALSHA").nth(2_000))) {
            CompletableFuture<ServerConnection> connecting = connect(proxy);
            assertThatThrownBy(() -> connecting.get(60, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(TimeoutException.class);
            assertThat(silent.acted()).isPositive();
        }
    }
}
