package dev.interlock.redis;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.RedisReplicated;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The TCK on a primary whose replica acknowledges every grant, with enough time for a busy computer. */
@Tag("full")
@Tag("server")
class RedisReplicatedTckTest extends BackendTck {
    @RegisterExtension
    static final RedisReplicated redis = RedisReplicated.shared();

    /** Shared, because starting its threads takes longer than running a case. */
    private static final RedisClient CLIENT = RedisClient.create();

    @AfterAll
    static void shutDown() {
        CLIENT.shutdown();
    }

    @Override
    protected Backend connect(String namespace) {
        return RedisForWorkers.patiently(RedisBackend.builder(CLIENT, RedisURI.create(redis.uri()))
                .namespace(namespace)
                .durability(new RedisBackend.Durability(1, Duration.ofMillis(1_500))));
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
