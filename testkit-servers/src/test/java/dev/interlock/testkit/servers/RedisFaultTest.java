package dev.interlock.testkit.servers;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("server")
class RedisFaultTest {
    @Nested
    class WithoutPersistence {
        @RegisterExtension
        final RedisServer redis = RedisServer.own();

        @Test
        void killedServerForgetsAndKeepsItsPort() {
            redis.command("SET", "a", "1");
            String uri = redis.uri();
            long pid = redis.node().pid();

            redis.node().kill();
            assertThat(redis.node().isAlive()).isFalse();
            assertThatThrownBy(() -> redis.command("PING"))
                    .hasMessageContaining(redis.node().address());

            redis.node().start();
            assertThat(redis.uri()).isEqualTo(uri);
            assertThat(redis.node().pid()).isNotEqualTo(pid);
            assertThat(redis.command("GET", "a")).isEmpty();
        }

        @Test
        void pausedServerIsSilentAndThenAnswers() throws Exception {
            redis.node().pause();
            try (Socket socket =
                    new Socket(InetAddress.getLoopbackAddress(), redis.node().port())) {
                socket.setSoTimeout(200);
                socket.getOutputStream().write("PING\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

                redis.node().resume();
                socket.setSoTimeout(5_000);
                assertThat(socket.getInputStream().read()).isEqualTo('+');
            }
        }
    }

    @Nested
    class WithAppendOnlyFile {
        @RegisterExtension
        final RedisServer redis = RedisServer.own().with("appendonly", "yes").with("appendfsync", "always");

        @Test
        void killedServerRemembers() {
            redis.command("SET", "a", "1");
            redis.node().restart();
            assertThat(redis.command("GET", "a")).isEqualTo("1");
        }

        @Test
        void serverRestartedEmptyForgets() {
            redis.command("SET", "a", "1");
            redis.node().restartEmpty();
            assertThat(redis.command("GET", "a")).isEmpty();
        }
    }

    @Nested
    class WhenItsClockIsStepped {
        @RegisterExtension
        final RedisServer redis = RedisServer.own().version(RedisVersion.V6_2).steppableClock();

        @Test
        void stepForwardEndsALeaseAtOnce() {
            redis.command("SET", "lock", "me", "PX", "30000");
            redis.node().clock().step(ofMinutes(1));
            await().atMost(ofSeconds(5))
                    .until(() -> redis.command("EXISTS", "lock").equals("0"));
        }

        @Test
        void stepBackStretchesALease() {
            redis.command("SET", "lock", "me", "PX", "30000");
            redis.node().clock().step(ofMinutes(-1));
            await().atMost(ofSeconds(5)).until(() -> Long.parseLong(redis.command("PTTL", "lock")) > 80_000);
            assertThat(redis.node().clock().offset()).isEqualTo(ofMinutes(-1));
        }
    }

    @Test
    void clockOfAStaticProgramIsRefused() {
        try (RedisServer redis = RedisServer.own().steppableClock()) {
            assertThatThrownBy(redis::start).hasMessageContaining("statically linked");
        }
    }

    @Test
    void clockThatWasNotAskedForIsRefused() {
        try (RedisServer redis = RedisServer.own()) {
            redis.start();
            assertThatThrownBy(() -> redis.node().clock()).hasMessageContaining("steppableClock()");
        }
    }
}
