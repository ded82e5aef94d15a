package dev.interlock.redis;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.checked.CheckedClient;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.checked.TwinHold;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.servers.RedisSentinel;
import dev.interlock.testkit.servers.ServerNode;
import dev.interlock.testkit.workers.WorkerRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A failover keeps replicated locks. Others can be granted again, and the fence rejects the older holder. */
@Tag("full")
@Tag("server")
class SentinelFailoverTest {
    /** Longer than a failover. */
    private static final Duration LONG_LEASE = ofSeconds(30);

    @Order(1)
    @RegisterExtension
    static final RedisSentinel redis = RedisSentinel.own();

    @Order(2)
    @RegisterExtension
    final CheckedRun run = new CheckedRun(RedisForWorkers.patiently(
            () -> RedisBackend.builder("redis-sentinel://" + redis.addresses() + "/0#" + redis.primaryName())));

    /** Holds for longer than a failover takes, and renews often enough to be notified soon afterwards. */
    private static CheckedClient.Held acquireForLong(CheckedClient client, LockKey key) {
        return client.acquire(WorkerRequest.of(key, LONG_LEASE, PATIENCE), request -> request.renewEvery(ofSeconds(4)));
    }

    private static CheckedClient.Held grantedForLong(CheckedClient client, LockKey key) {
        return client.granted(WorkerRequest.of(key, LONG_LEASE, ZERO));
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
        CheckedClient holder = run.client("holder");
        CheckedClient other = run.client("other");
        CheckedClient.Held held = holder.acquire(WorkerRequest.of(key, LONG_LEASE, PATIENCE));
        assertThat(held.raise()).isTrue();
        long base = held.read();
        awaitOnReplicas("lock:" + key.name());

        RecordedFault failover = run.recorder().faultStarted("failover");
        long start = System.nanoTime();
        redis.failover();
        failover.acted();
        failover.stopped();
        long promoted = millisSince(start);
        // Grants that the old primary makes until its clients leave it are lost.
        CheckedRun.pass(SentinelSplitTest.FOLLOWS_WITHIN);
        CheckedClient.Held elsewhere = other.granted(run.key("elsewhere"));
        System.out.printf("Clean failover: promoted after %d ms, granted after %d ms%n", promoted, millisSince(start));
        assertThat(elsewhere.token()).isGreaterThan(held.token());
        assertThatThrownBy(() -> other.acquire(WorkerRequest.of(key, LEASE, ZERO)))
                .as("the lock is still held")
                .isInstanceOf(LockTimeoutException.class);
        await().atMost(ofSeconds(10))
                .ignoreException(StoreUnavailableException.class)
                .untilAsserted(() -> assertThat(held.renew(LONG_LEASE)).isPositive());
        assertThat(held.write(base)).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        CheckedClient.Held next = other.granted(key);
        assertThat(next.token()).isGreaterThan(held.token());
        next.finish();
        elsewhere.finish();
        run.assertClean("R05 sentinel-failover-clean", "failover");
    }

    /** R06, R08: the old primary returns as a replica, and its unreplicated grants are lost. */
    @Test
    void staleWriteIsRejectedAfterAFailoverThatLostTheLock() {
        LockKey key = run.key("forgotten");
        LockKey unfencedKey = run.unfencedKey("forgotten");
        String lock = "lock:" + key.name();
        CheckedClient holder = run.client("holder");
        CheckedClient other = run.client("other");
        holder.acquire(run.key("before")).finish();
        RecordedFault failover = run.recorder().faultStarted("lossy failover");
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
                expected -> expected.injecting("lossy failover").exclusivityMayBreakIn("lossy failover")));
    }

    /** R08: the old primary was only isolated, and considers itself primary for a while. */
    @Test
    void isolatedPrimaryLosesItsOwnGrantsWhenItReturns() {
        LockKey key = run.key("isolated");
        LockKey unfencedKey = run.unfencedKey("isolated");
        CheckedClient holder = run.client("holder");
        CheckedClient other = run.client("other");
        RecordedFault isolated = run.recorder().faultStarted("isolated primary");
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
        CheckedClient.Held third = holder.granted(key);
        assertThat(third.token()).isGreaterThan(second.fenced().token());
        third.finish();
        TwinHold.assertBitten(run.assertClean(
                "R08 old-primary-returns",
                expected -> expected.injecting("isolated primary").exclusivityMayBreakIn("isolated primary")));
    }
}
