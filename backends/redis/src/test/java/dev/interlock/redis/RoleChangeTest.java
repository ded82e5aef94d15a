package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.servers.RedisReplicated;
import dev.interlock.testkit.servers.ServerNode;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A primary that was demoted and promoted again while one of its clients had nothing to ask. */
class RoleChangeTest {
    private static final LockKey A = LockKey.of("a");

    @RegisterExtension
    final RedisReplicated redis = RedisReplicated.own();

    @Test
    void tokensGrowOverADemotionThatAnIdleClientDidNotSee() throws Exception {
        ServerNode one = redis.primary();
        ServerNode two = redis.replica();
        try (BareProcess idle = new BareProcess(RedisBackend.connect("redis://" + one.address()))) {
            idle.release(idle.take(A).grant());
            // Fail over to the second; the first does not get the second's writes, and then is primary again.
            redis.command(two, "REPLICAOF", "NO", "ONE");
            redis.command(one, "CONFIG", "SET", "masterauth", "wrong");
            redis.command(one, "REPLICAOF", two.host(), Integer.toString(two.port()));
            long granted;
            try (BareProcess other = new BareProcess(RedisBackend.connect("redis://" + two.address()))) {
                granted = other.take(A).grant().number();
            }
            // Nothing that others see changes when the idle client finds out; it looks once a second.
            FaultRun.pass(Duration.ofSeconds(3));
            two.kill();
            redis.command(one, "REPLICAOF", "NO", "ONE");
            long next = Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .ignoreExceptions()
                    .until(() -> idle.take(A).grant().number(), number -> true);
            assertThat(next).isGreaterThan(granted);
        }
    }
}
