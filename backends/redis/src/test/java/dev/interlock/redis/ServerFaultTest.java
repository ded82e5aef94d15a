package dev.interlock.redis;

import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.history.Fault;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.TwinHold;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.Ask;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that stands still or takes no writes for a while. */
class ServerFaultTest {
    @Order(1)
    @RegisterExtension
    static final RedisServer redis = RedisServer.own();

    @Order(2)
    @RegisterExtension
    final JudgedRun run = new JudgedRun(RedisForWorkers.patiently(() -> RedisBackend.builder(redis.uri())));

    /** From now on; seen to act, since the process is known to stand still. */
    private Fault freeze() {
        Fault frozen = run.recorder().faultStarted("frozen server");
        redis.node().pause();
        frozen.acted();
        return frozen;
    }

    /** R03 */
    @Test
    void serverFrozenForHalfALeaseCostsNoLock() {
        JudgedClient client = run.client("one");
        JudgedClient.Held held = client.acquire(run.key("half"));
        Fault frozen = freeze();
        LockSupport.parkNanos(LEASE.toNanos() / 2); // the fault itself
        redis.node().resume();
        frozen.stopped();
        client.granted(run.key("other")).finish();
        await().atMost(LEASE).until(() -> held.lease().remaining().compareTo(LEASE.dividedBy(2)) > 0);
        held.lease().ensureHeld();
        assertThat(held.lease().lost().toCompletableFuture()).isNotDone();
        held.finish();
        run.assertClean("R03 server-frozen, for half a lease", "frozen server");
    }

    /** R03 */
    @Test
    void holderIsToldBeforeAServerFrozenForTwoLeasesComesBack() throws Exception {
        LockKey key = run.key("double");
        LockKey unfencedKey = run.unfencedKey("double");
        JudgedClient client = run.client("one");
        JudgedClient other = run.client("two");
        TwinHold held = TwinHold.begin(key, unfencedKey, client::acquire);
        Fault frozen = freeze();
        long start = System.nanoTime();
        try {
            assertThatThrownBy(() -> other.acquire(Ask.of(run.key("busy"), LEASE, ofSeconds(1))))
                    .isInstanceOf(StoreUnavailableException.class);
            LossReason reason =
                    held.fenced().lease().lost().toCompletableFuture().get(20, TimeUnit.SECONDS);
            long told = System.nanoTime() - start;
            System.out.printf("Server frozen: told %s after %d ms of a lease of %s%n", reason, told / 1_000_000, LEASE);
            assertThat(told).isLessThan(LEASE.toNanos());
            LockSupport.parkNanos(2 * LEASE.toNanos() - (System.nanoTime() - start)); // the rest of the fault
        } finally {
            redis.node().resume();
            frozen.stopped();
        }
        assertThatThrownBy(held.fenced().lease()::ensureHeld).isInstanceOf(LeaseLostException.class);
        TwinHold next = TwinHold.begin(key, unfencedKey, other::granted);
        next.assertNewerThan(held);
        next.write();
        held.writeTooLate();
        held.release(ReleaseResult.ALREADY_ENDED);
        next.release(ReleaseResult.RELEASED);
        TwinHold.assertBitten(run.assertClean("R03 server-frozen, for two leases", "frozen server"));
    }

    /** R04 */
    @Test
    void nobodyBelievesLongerThanTheServerWhenWritesArePaused() {
        LockKey key = run.key("paused");
        JudgedClient client = run.client("one");
        JudgedClient.Held before = client.acquire(run.key("held"));
        Fault paused = run.recorder().faultStarted("writes paused");
        redis.command("CLIENT", "PAUSE", "1500", "WRITE");
        long asked = System.nanoTime();
        JudgedClient.Held held =
                client.acquire(Ask.of(key, LEASE, ofSeconds(10)).unrenewed());
        Duration waited = Duration.ofNanos(System.nanoTime() - asked);
        long believed = held.lease().remaining().toMillis();
        long left = Long.parseLong(redis.command("PTTL", "lock:" + key.name()));
        System.out.printf(
                "Writes paused: granted after %d ms, believed %d ms, server %d ms%n",
                waited.toMillis(), believed, left);
        assertThat(waited).isGreaterThan(ofSeconds(1));
        paused.acted();
        paused.stopped();
        assertThat(left - believed).as("how much longer the server keeps it").isGreaterThanOrEqualTo(-50);
        before.lease().ensureHeld();
        held.finish();
        before.finish();
        client.acquire(key).finish();
        run.assertClean("R04 client-pause-write", "writes paused");
    }
}
