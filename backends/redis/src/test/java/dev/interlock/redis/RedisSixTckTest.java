package dev.interlock.redis;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.servers.RedisVersion;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The TCK on one server of the oldest supported version. */
@Tag("full")
@Tag("server")
class RedisSixTckTest extends BackendTck {
    @RegisterExtension
    static final RedisServer redis = RedisServer.own().version(RedisVersion.V6_2);

    /** Shared, because starting its threads takes longer than running a case. */
    private static final RedisClient CLIENT = RedisClient.create();

    @AfterAll
    static void shutDown() {
        CLIENT.shutdown();
    }

    @Override
    protected Backend connect(String namespace) {
        return RedisForWorkers.patiently(
                RedisBackend.builder(CLIENT, RedisURI.create(redis.uri())).namespace(namespace));
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
