package dev.interlock.redis;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.RedisSentinel;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The TCK on a primary that Sentinel names. */
@Tag("full")
@Tag("server")
class RedisSentinelTckTest extends BackendTck {
    @RegisterExtension
    static final RedisSentinel redis = RedisSentinel.shared();

    /** Shared, because starting its threads takes longer than running a case. */
    private static final RedisClient CLIENT = RedisClient.create();

    @AfterAll
    static void shutDown() {
        CLIENT.shutdown();
    }

    @Override
    protected Backend connect(String namespace) {
        return RedisForWorkers.patiently(RedisBackend.builder(
                        CLIENT, RedisURI.create("redis-sentinel://" + redis.addresses() + "/0#" + redis.primaryName()))
                .namespace(namespace));
    }

    /** The full counts run on the single server. */
    @Override
    protected int manyKeys() {
        return 5_000;
    }

    @Override
    protected int manyWaiters() {
        return 1_000;
    }
}
