package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.testkit.checked.CheckedClient;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.servers.RedisSentinel;
import dev.interlock.testkit.workers.WorkerRequest;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R05: Sentinel has promoted a new primary, and the old one does not yet know that it is a replica. */
@Tag("full")
@Tag("server")
class SentinelSplitTest {
    /** Twice the interval at which a client asks Sentinel. */
    static final Duration FOLLOWS_WITHIN = Duration.ofSeconds(2);

    @Order(1)
    @RegisterExtension
    static final RedisSentinel redis = RedisSentinel.own();

    @Order(2)
    @RegisterExtension
    final CheckedRun run = new CheckedRun(RedisForWorkers.patiently(
            () -> RedisBackend.builder("redis-sentinel://" + redis.addresses() + "/0#" + redis.primaryName())));

    @Test
    void clientsFromBeforeAndAfterACleanFailoverExcludeEachOther() {
        LockKey key = run.key("split");
        CheckedClient before = run.client("before");
        before.acquire(run.key("warm")).finish();
        redis.failover();
        CheckedRun.pass(FOLLOWS_WITHIN);
        before.granted(key);
        CheckedClient after = run.client("after");
        assertThatThrownBy(() -> after.acquire(WorkerRequest.of(key, CheckedRun.LEASE, Duration.ZERO)))
                .isInstanceOf(LockTimeoutException.class);
    }
}
