package dev.interlock.redis;

import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.history.Fault;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.TwinHold;
import dev.interlock.testkit.servers.RedisSentinel;
import dev.interlock.testkit.servers.ServerNode;
import dev.interlock.testkit.workers.Ask;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a failover keeps and what it loses: locks that were replicated stay, others may be granted again, and the fence tells. */
class SentinelFailoverTest {
    /** Outlasts a failover. */
    private static final Duration LONG_LEASE = ofSeconds(30);

    @Order(1)
    @RegisterExtension
    static final RedisSentinel redis = RedisSentinel.own();

    @Order(2)
    @RegisterExtension
    final JudgedRun run = new JudgedRun(RedisForWorkers.patiently(
            () -> RedisBackend.builder("redis-sentinel://" + redis.addresses() + "/0#" + redis.primaryName())));

    /** Holds for longer than a failover takes, and looks often enough to be told soon afterwards. */
    private static JudgedClient.Held acquireForLong(JudgedClient client, LockKey key) {
        return client.acquire(Ask.of(key, LONG_LEASE, PATIENCE), request -> request.renewEvery(ofSeconds(4)));
    }

    private static JudgedClient.Held grantedForLong(JudgedClient client, LockKey key) {
        return client.granted(Ask.of(key, LONG_LEASE, ZERO));
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
        LockKey key = run.key("clean");
        JudgedClient holder = run.client("holder");
        JudgedClient other = run.client("other");
        JudgedClient.Held held = holder.acquire(Ask.of(key, LONG_LEASE, PATIENCE));
        assertThat(held.raise()).isTrue();
        long base = held.read();
        awaitOnReplicas("lock:" + key.name());

        Fault failover = run.recorder().faultStarted("failover");
        long start = System.nanoTime();
        redis.failover();
        failover.acted();
        failover.stopped();
        long promoted = millisSince(start);
        // What the old primary grants until its clients leave it is lost with it.
        JudgedRun.pass(SentinelSplitTest.FOLLOWS_WITHIN);
        JudgedClient.Held elsewhere = other.granted(run.key("elsewhere"));
        System.out.printf("Clean failover: promoted after %d ms, granted after %d ms%n", promoted, millisSince(start));
        assertThat(elsewhere.token()).isGreaterThan(held.token());
        assertThatThrownBy(() -> other.acquire(Ask.of(key, LEASE, ZERO)))
                .as("the lock is still held")
                .isInstanceOf(LockTimeoutException.class);
        await().atMost(ofSeconds(10))
                .ignoreException(StoreUnavailableException.class)
                .untilAsserted(() -> assertThat(held.renew(LONG_LEASE)).isPositive());
        assertThat(held.write(base)).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        JudgedClient.Held next = other.granted(key);
        assertThat(next.token()).isGreaterThan(held.token());
        next.finish();
        elsewhere.finish();
        run.assertClean("R05 sentinel-failover-clean", "failover");
    }

    /** R06, R08: the old primary comes back as a replica, and what it had granted by itself is void. */
    @Test
    void staleWriteIsRefusedAfterAFailoverThatForgotTheLock() {
        LockKey key = run.key("forgotten");
        LockKey unfencedKey = run.unfencedKey("forgotten");
        String lock = "lock:" + key.name();
        JudgedClient holder = run.client("holder");
        JudgedClient other = run.client("other");
        holder.acquire(run.key("before")).finish();
        Fault failover = run.recorder().faultStarted("forgetful failover");
        redis.cutReplication();
        TwinHold held = TwinHold.begin(key, unfencedKey, one -> acquireForLong(holder, one));
        ServerNode former = redis.primary();

        long start = System.nanoTime();
        former.kill();
        redis.awaitPrimaryOtherThan(former);
        failover.acted();
        TwinHold second = TwinHold.begin(key, unfencedKey, one -> grantedForLong(other, one));
        boolean two = held.fenced().isHeld();
        System.out.printf(
                "Failover without replication: granted again after %d ms; two holders: %s%n", millisSince(start), two);
        second.assertNewerThan(held);
        second.write();
        held.writeTooLate();

        redis.healReplication();
        former.start();
        await().atMost(ofSeconds(30)).until(() -> redis.command(former, "ROLE").startsWith("slave"));
        await().atMost(ofSeconds(30))
                .until(() -> redis.command(former, "GET", lock).equals(redis.command(redis.primary(), "GET", lock)));
        failover.stopped();
        second.fenced().lease().ensureHeld();
        await().atMost(ofSeconds(30))
                .until(() -> !held.fenced().isHeld() && !held.control().isHeld());
        held.release(ReleaseResult.ALREADY_ENDED);
        assertThat(second.fenced().isHeld()).isTrue();
        second.release(ReleaseResult.RELEASED);
        TwinHold.assertBitten(run.assertClean(
                "R06 sentinel-failover-unreplicated: two holders at once " + two,
                expected -> expected.injecting("forgetful failover").exclusivityMayBreakIn("forgetful failover")));
    }

    /** R08: it was only cut off, and still believes in itself for a while. */
    @Test
    void isolatedPrimaryThatReturnsVoidsItsOwnGrants() {
        LockKey key = run.key("isolated");
        LockKey unfencedKey = run.unfencedKey("isolated");
        JudgedClient holder = run.client("holder");
        JudgedClient other = run.client("other");
        Fault isolated = run.recorder().faultStarted("isolated primary");
        redis.cutReplication();
        TwinHold held = TwinHold.begin(key, unfencedKey, one -> acquireForLong(holder, one));
        ServerNode former = redis.primary();
        former.pause();
        TwinHold second;
        try {
            redis.awaitPrimaryOtherThan(former);
            isolated.acted();
            second = TwinHold.begin(key, unfencedKey, one -> grantedForLong(other, one));
        } finally {
            former.resume();
        }
        redis.healReplication();
        await().atMost(ofSeconds(30)).until(() -> redis.command(former, "ROLE").startsWith("slave"));
        isolated.stopped();
        second.assertNewerThan(held);
        second.fenced().lease().ensureHeld();
        second.write();
        held.writeTooLate();
        await().atMost(ofSeconds(30))
                .until(() -> !held.fenced().isHeld() && !held.control().isHeld());
        held.release(ReleaseResult.ALREADY_ENDED);
        assertThat(second.fenced().renew(LONG_LEASE)).isPositive();
        second.release(ReleaseResult.RELEASED);
        JudgedClient.Held third = holder.granted(key);
        assertThat(third.token()).isGreaterThan(second.fenced().token());
        third.finish();
        TwinHold.assertBitten(run.assertClean(
                "R08 old-primary-returns",
                expected -> expected.injecting("isolated primary").exclusivityMayBreakIn("isolated primary")));
    }
}
