package dev.interlock.redis;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.Locks;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.redis.RedisBackend.Durability;
import dev.interlock.testkit.checked.CheckedClient;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.servers.RedisReplicated;
import dev.interlock.testkit.workers.WorkerRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A grant that a replica must acknowledge counts only once it is acknowledged, however it was made. */
@Tag("full")
@Tag("server")
class ReplicaAckTest {
    @Order(1)
    @RegisterExtension
    static final RedisReplicated redis = RedisReplicated.own();

    @Order(2)
    @RegisterExtension
    final Processes processes = new Processes();

    @Order(3)
    @RegisterExtension
    final CheckedRun run = new CheckedRun(RedisForWorkers.patiently(ReplicaAckTest::acknowledged));

    private static RedisBackend.Builder acknowledged() {
        return RedisBackend.builder(redis.uri()).durability(Durability.replicaAck(1));
    }

    /** Starts the fault. It counts as acted at once, because the process is paused. */
    private RecordedFault freezeReplica() {
        RecordedFault frozen = run.recorder().faultStarted("frozen replica");
        redis.replica().pause();
        frozen.acted();
        return frozen;
    }

    private void thaw(RecordedFault frozen) {
        redis.replica().resume();
        frozen.stopped();
    }

    private static String primary(String... words) {
        return redis.command(redis.primary(), words);
    }

    /** R09 */
    @Test
    void grantThatNoReplicaAcknowledgesIsReleased() {
        CheckedClient client = run.client("one");
        Locks locks = client.interlock().locks();
        LockKey key = run.key("x");
        RecordedFault frozen = freezeReplica();
        try {
            assertThatThrownBy(() -> client.acquire(WorkerRequest.of(key, LEASE, ofSeconds(5))))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("0 of 1 replicas acknowledged");
            assertThatThrownBy(() -> locks.with(List.of(LockKey.of("a"), LockKey.of("b")))
                            .waitAtMost(ofSeconds(5))
                            .acquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("0 of 1 replicas acknowledged");
            assertThatThrownBy(() -> locks.with(key).shared().acquire()).isInstanceOf(StoreUnavailableException.class);
            String lock = "lock:" + key.name();
            assertThat(primary("EXISTS", lock, "lock:a", "lock:b", "{" + lock + "}:s", "{" + lock + "}:q"))
                    .isEqualTo("0");
        } finally {
            thaw(frozen);
        }
        client.granted(key).finish();
        run.assertClean("R09 wait-timeout", "frozen replica");
    }

    /** R09: the grant is pushed, so no attempt of the waiter asks for the acknowledgement. */
    @Test
    void waiterDoesNotGetAPushedLockWhileTheReplicaIsFrozen() {
        LockKey key = run.key("pushed");
        String lock = "lock:" + key.name();
        String queue = "{" + lock + "}:q";
        CheckedClient holder = run.client("holder");
        CheckedClient waiter = run.client("waiter");
        CheckedClient.Held held = holder.acquire(key);
        assertThat(held.update()).isTrue();
        CompletableFuture<CheckedClient.Held> waiting =
                waiter.acquireAsync(WorkerRequest.of(key, LEASE, ofSeconds(30)));
        await().until(() -> primary("LLEN", queue).equals("1"));
        RecordedFault frozen = freezeReplica();
        try {
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
            assertThat(waiting).failsWithin(ofSeconds(2));
        } finally {
            thaw(frozen);
        }
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(StoreUnavailableException.class);
        CheckedClient.Held next = waiter.granted(key);
        assertThat(next.token()).isGreaterThan(held.token());
        next.finish();
        await().until(() -> primary("EXISTS", lock, queue).equals("0"));
        run.assertClean("R09 wait-timeout, pushed", "frozen replica");
    }

    /** With one WAIT per grant, a thousand concurrent grants would fail as unavailable. */
    @Test
    void concurrentGrantsShareOneWaitForTheReplica() {
        Interlock interlock =
                processes.open(RedisBackend.builder(redis.uri()).durability(new Durability(1, ofMillis(1_500))));
        await().atMost(ofSeconds(20))
                .ignoreException(StoreUnavailableException.class)
                .until(() -> interlock.locks().tryRun(LockKey.of("first"), lease -> {}));
        primary("CONFIG", "RESETSTAT");
        List<PendingLease<Lease>> pending;
        redis.replica().pause();
        try {
            pending = IntStream.range(0, 200)
                    .mapToObj(i -> interlock.locks().acquireAsync(LockKey.of("shared-wait", Integer.toString(i))))
                    .toList();
        } finally {
            redis.replica().resume();
        }
        pending.forEach(one ->
                one.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join().close());
        assertThat(primary("INFO", "commandstats")).containsPattern("cmdstat_wait:calls=[1-9]\\d?,");
    }

    /** R10 */
    @Test
    void replicaThatLeavesAndReturnsIsNoPermanentError() {
        LockKey key = run.key("left");
        CheckedClient client = run.client("one");
        CheckedClient.Held held = client.acquire(run.key("held"));
        RecordedFault left = run.recorder().faultStarted("replica left");
        redis.command(redis.replica(), "REPLICAOF", "NO", "ONE");
        await().until(() -> primary("INFO", "replication").contains("connected_slaves:0"));
        left.acted();
        try {
            assertThatThrownBy(() -> client.acquire(key)).isInstanceOf(StoreUnavailableException.class);
        } finally {
            redis.command(
                    redis.replica(),
                    "REPLICAOF",
                    redis.primary().host(),
                    Integer.toString(redis.primary().port()));
            left.stopped();
        }
        client.granted(key).finish();
        held.lease().ensureHeld();
        held.finish();
        run.assertClean("R10 replica-count-changes", "replica left");
    }

    /** X18: only replica acknowledgement needs this permission. */
    @Test
    void missingPermissionToWaitIsNamedAndNoLockRemains() {
        primary("ACL", "SETUSER", "hasty", "reset", "on", ">pa55word", "+@all", "-wait", "~*", "&*");
        String uri = "redis://hasty:pa55word@" + redis.primary().address();
        Interlock interlock = processes.open(RedisBackend.builder(uri).durability(Durability.replicaAck(1)));
        assertThatThrownBy(() -> interlock
                        .locks()
                        .with(LockKey.of("hasty"))
                        .waitAtMost(ofSeconds(1))
                        .acquire())
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("'wait' command");
        await().until(() -> primary("EXISTS", "lock:hasty").equals("0"));
    }
}
