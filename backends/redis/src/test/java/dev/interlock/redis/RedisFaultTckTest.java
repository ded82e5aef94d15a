package dev.interlock.redis;

import dev.interlock.testkit.checked.FaultTarget;
import dev.interlock.testkit.checked.FaultTck;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.servers.RedisVersion;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Faults of the network, the server and clocks on one Redis server. Redis 6.2 is the version whose clock can be
 * stepped.
 */
@Tag("server")
class RedisFaultTckTest extends FaultTck {
    @RegisterExtension
    static final RedisServer shared = RedisServer.shared();

    @RegisterExtension
    static final RedisServer own = RedisServer.own();

    @RegisterExtension
    static final RedisServer stepped =
            RedisServer.own().version(RedisVersion.V6_2).steppableClock();

    @Override
    protected Optional<FaultTarget> target(Disturbance disturbance) {
        return Optional.of(new RedisTarget(
                switch (disturbance) {
                    case NETWORK -> shared;
                    case SERVER -> own;
                    case CLOCK -> stepped;
                }));
    }

    @Override
    protected int interruptRounds() {
        return 300;
    }

    @Override
    protected Duration interruptWithin() {
        return Duration.ofMillis(6);
    }
}
