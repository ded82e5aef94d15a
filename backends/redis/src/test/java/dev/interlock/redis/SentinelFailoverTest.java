package dev.interlock.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.FenceGuard;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.servers.RedisSentinel;
import dev.interlock.testkit.servers.ServerNode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a failover keeps and what it loses: locks that were replicated stay, others may be granted again, and the fence tells. */
class SentinelFailoverTest {
    @Order(1)
    @RegisterExtension
    static final RedisSentinel redis = RedisSentinel.own();

    @Order(2)
    @RegisterExtension
    final Processes processes = new Processes();

    private Interlock open() {
        return processes.open(
                RedisBackend.builder("redis-sentinel://" + redis.addresses() + "/0#" + redis.primaryName()));
    }

    private static Lease granted(Locks locks, LockKey key) {
        return await().atMost(ofSeconds(30))
                .pollInterval(ofMillis(50))
                .ignoreException(StoreUnavailableException.class)
                .until(() -> locks.tryAcquire(key).orElse(null), lease -> lease != null);
    }

    private static void awaitOnReplicas(String key) {
        await().atMost(ofSeconds(10))
                .until(() -> redis.replicas().stream()
                        .noneMatch(replica -> redis.command(replica, "GET", key).isEmpty()));
    }

    private static long millisSince(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    /** R05 */
    @Test
    void replicatedLockSurvivesACleanFailover() {
        LockKey key = LockKey.of("clean");
        Interlock holder = open();
        Interlock other = open();
        Lease held = holder.locks().acquire(key);
        awaitOnReplicas("lock:clean");

        long start = System.nanoTime();
        redis.failover();
        long promoted = millisSince(start);
        Lease elsewhere = granted(other.locks(), LockKey.of("elsewhere"));
        System.out.printf("Clean failover: promoted after %d ms, granted after %d ms%n", promoted, millisSince(start));
        assertThat(elsewhere.token().isNewerThan(held.token())).isTrue();
        assertThat(other.locks().tryAcquire(key)).as("the lock is still held").isEmpty();
        await().atMost(ofSeconds(10))
                .ignoreException(StoreUnavailableException.class)
                .untilAsserted(() -> assertThat(held.renew(ofSeconds(30))).isPositive());
        held.close();
        Lease next = granted(other.locks(), key);
        assertThat(next.token().isNewerThan(held.token())).isTrue();
        next.close();
        elsewhere.close();
    }

    /** R06, R08: the old primary comes back as a replica, and what it had granted by itself is void. */
    @Test
    void staleWriteIsRefusedAfterAFailoverThatForgotTheLock() {
        LockKey key = LockKey.of("forgotten");
        Interlock holder = open();
        Interlock other = open();
        holder.locks().acquire(LockKey.of("before")).close();
        redis.cutReplication();
        Lease held = holder.locks()
                .with(key)
                .leaseFor(ofSeconds(30))
                .renewEvery(ofSeconds(4))
                .acquire();
        ServerNode former = redis.primary();
        FenceGuard fence = new FenceGuard();
        int[] written = {0};
        fence.raise(held);

        long start = System.nanoTime();
        former.kill();
        redis.awaitPrimaryOtherThan(former);
        Lease second = granted(other.locks(), key);
        boolean two = held.isHeld();
        System.out.printf(
                "Failover without replication: granted again after %d ms; two holders: %s%n", millisSince(start), two);
        assertThat(second.token().isNewerThan(held.token())).isTrue();
        fence.raise(second);
        assertThatThrownBy(() -> fence.run(held, () -> written[0]++)).isInstanceOf(StaleTokenException.class);
        fence.run(second, () -> written[0]++);
        assertThat(written[0]).isOne();

        redis.healReplication();
        former.start();
        await().atMost(ofSeconds(30)).until(() -> redis.command(former, "ROLE").startsWith("slave"));
        await().atMost(ofSeconds(30))
                .until(() -> redis.command(former, "GET", "lock:forgotten")
                        .equals(redis.command(redis.primary(), "GET", "lock:forgotten")));
        second.ensureHeld();
        await().atMost(ofSeconds(30)).until(() -> !held.isHeld());
        second.close();
    }

    /** R08: it was only cut off, and still believes in itself for a while. */
    @Test
    void isolatedPrimaryThatReturnsVoidsItsOwnGrants() {
        LockKey key = LockKey.of("isolated");
        Interlock holder = open();
        Interlock other = open();
        redis.cutReplication();
        Lease held = holder.locks()
                .with(key)
                .leaseFor(ofSeconds(30))
                .renewEvery(ofSeconds(4))
                .acquire();
        ServerNode former = redis.primary();
        former.pause();
        Lease second;
        try {
            redis.awaitPrimaryOtherThan(former);
            second = granted(other.locks(), key);
        } finally {
            former.resume();
        }
        redis.healReplication();
        await().atMost(ofSeconds(30)).until(() -> redis.command(former, "ROLE").startsWith("slave"));
        assertThat(second.token().isNewerThan(held.token())).isTrue();
        second.ensureHeld();
        await().atMost(ofSeconds(30)).until(() -> !held.isHeld());
        assertThat(second.renew(ofSeconds(30))).isPositive();
        second.close();
        Lease third = granted(holder.locks(), key);
        assertThat(third.token().isNewerThan(second.token())).isTrue();
        third.close();
    }
}
