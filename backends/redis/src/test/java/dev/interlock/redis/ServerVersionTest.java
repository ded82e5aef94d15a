package dev.interlock.redis;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockRefusedException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is too old is refused at start-up with a message that names its version and the required one (X18). */
class ServerVersionTest {
    @ParameterizedTest
    @ValueSource(strings = {"5.0.14", "6.0.16"})
    void oldServerIsRefusedWithBothVersions(String version) throws Exception {
        try (OldRedis old = new OldRedis(version)) {
            RedisBackend.Builder builder =
                    RedisBackend.builder("redis://" + old.address()).silenceLimit(ofSeconds(20));
            assertThatThrownBy(builder::build)
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContainingAll(old.address(), "Redis " + version, "6.2 or newer is required");
        }
    }

    /** A version that cannot be parsed is not trusted either. */
    @ParameterizedTest
    @CsvSource({
        "5.0.14, true",
        "6.0.16, true",
        "6.1.9, true",
        "6, true",
        "unknown, true",
        "6.2.0, false",
        "6.10, false",
        "7.0.15, false",
        "10.0.0, false"
    })
    void versionsAreComparedAsNumbers(String version, boolean tooOld) {
        assertThat(new ServerFacts("redis_version:" + version).isTooOld()).isEqualTo(tooOld);
    }
}
