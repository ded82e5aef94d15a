package dev.interlock.redis;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The TCK on one server of the newest version. */
@Tag("server")
class RedisBackendTckTest extends BackendTck {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @Override
    protected Backend connect(String namespace) {
        return RedisForWorkers.patiently(RedisBackend.builder(redis.uri()).namespace(namespace));
    }
}
