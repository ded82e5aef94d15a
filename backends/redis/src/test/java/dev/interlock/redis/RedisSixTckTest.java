package dev.interlock.redis;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.servers.RedisVersion;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit on one server of the oldest version that is served. */
class RedisSixTckTest extends BackendTck {
    @RegisterExtension
    static final RedisServer redis = RedisServer.own().version(RedisVersion.V6_2);

    @Override
    protected Backend connect(String namespace) {
        return RedisBackend.builder(redis.uri()).namespace(namespace).build();
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
