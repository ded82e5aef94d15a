package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.servers.RedisSentinel;
import dev.interlock.testkit.workers.Ask;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R05: the Sentinels have agreed on a new primary, and the old one has not yet been told that it is a replica. */
class SentinelSplitTest {
    /** Twice as often as a client asks the Sentinels. */
    static final Duration FOLLOWS_WITHIN = Duration.ofSeconds(2);

    @Order(1)
    @RegisterExtension
    static final RedisSentinel redis = RedisSentinel.own();

    @Order(2)
    @RegisterExtension
    final JudgedRun run = new JudgedRun(RedisForWorkers.patiently(
            () -> RedisBackend.builder("redis-sentinel://" + redis.addresses() + "/0#" + redis.primaryName())));

    @Test
    void clientsFromBeforeAndAfterACleanFailoverExcludeEachOther() {
        LockKey key = run.key("split");
        JudgedClient before = run.client("before");
        before.acquire(run.key("warm")).finish();
        redis.failover();
        JudgedRun.pass(FOLLOWS_WITHIN);
        before.granted(key);
        JudgedClient after = run.client("after");
        assertThatThrownBy(() -> after.acquire(Ask.of(key, JudgedRun.LEASE, Duration.ZERO)))
                .isInstanceOf(LockTimeoutException.class);
    }
}
