package dev.interlock.bench.redis;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The clients of the other libraries, with default settings. Each opens on first use. Used by one thread. */
final class PeerClients implements AutoCloseable {
    private final Supplier<String> uri;
    private final Duration lease;
    private @Nullable RedissonClient redisson;
    private @Nullable LettuceConnectionFactory spring;

    PeerClients(Supplier<String> uri, Duration lease) {
        this.uri = uri;
        this.lease = lease;
    }

    /** Its watchdog renews after a third of the lease. */
    RedissonClient redisson() {
        RedissonClient known = redisson;
        if (known == null) {
            Config config = new Config();
            config.useSingleServer().setAddress(uri.get());
            config.setLockWatchdogTimeout(lease.toMillis());
            known = Redisson.create(config);
            redisson = known;
        }
        return known;
    }

    /** One shared native connection of Lettuce. */
    LettuceConnectionFactory spring() {
        LettuceConnectionFactory known = spring;
        if (known == null) {
            URI address = URI.create(uri.get());
            known = new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration(address.getHost(), address.getPort()));
            known.afterPropertiesSet();
            known.start();
            spring = known;
        }
        return known;
    }

    @Override
    public void close() {
        if (redisson != null) {
            redisson.shutdown(0, 1, TimeUnit.SECONDS);
        }
        if (spring != null) {
            spring.destroy();
        }
    }
}
