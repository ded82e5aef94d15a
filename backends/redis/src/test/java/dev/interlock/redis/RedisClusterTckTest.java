package dev.interlock.redis;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.RedisCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The TCK on a cluster, where the keys of a request are in several slots on several servers. */
@Tag("full")
@Tag("server")
class RedisClusterTckTest extends BackendTck {
    @RegisterExtension
    static final RedisCluster redis = RedisCluster.shared();

    @Override
    protected Backend connect(String namespace) {
        return RedisForWorkers.patiently(
                RedisBackend.builder(redis.uris().split(",")).namespace(namespace));
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
