package dev.interlock.redis;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.RedisServer;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit on one server of today's version. */
class RedisBackendTckTest extends BackendTck {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @Override
    protected Backend connect(String namespace) {
        return RedisBackend.builder(redis.uri()).namespace(namespace).build();
    }
}
