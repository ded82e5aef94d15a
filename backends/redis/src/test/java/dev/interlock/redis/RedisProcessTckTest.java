package dev.interlock.redis;

import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.ProcessTck;
import dev.interlock.testkit.workers.WorkerSetup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The process TCK on one server: P01–P05, P10–P12, P15 and the storm, with processes that are paused and killed. */
@Tag("server")
class RedisProcessTckTest extends ProcessTck {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @Override
    protected WorkerSetup workers(String namespace) {
        return WorkerSetup.of(RedisForWorkers.class, redis.uri(), namespace);
    }
}
