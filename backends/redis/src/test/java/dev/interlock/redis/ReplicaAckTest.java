package dev.interlock.redis;

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
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.redis.RedisBackend.Durability;
import dev.interlock.testkit.servers.RedisReplicated;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A grant that must be acknowledged by a replica does not count before it is, however it came about. */
class ReplicaAckTest {
    @Order(1)
    @RegisterExtension
    static final RedisReplicated redis = RedisReplicated.own();

    @Order(2)
    @RegisterExtension
    final Processes processes = new Processes();

    private Interlock open() {
        return processes.open(RedisBackend.builder(redis.uri()).durability(Durability.replicaAck(1)));
    }

    private static Lease granted(Locks locks, LockKey key) {
        return await().atMost(ofSeconds(20))
                .pollInterval(ofMillis(50))
                .ignoreException(StoreUnavailableException.class)
                .until(() -> locks.tryAcquire(key).orElse(null), lease -> lease != null);
    }

    private static String primary(String... words) {
        return redis.command(redis.primary(), words);
    }

    /** R09 */
    @Test
    void grantThatNoReplicaAcknowledgesIsGivenBack() {
        Interlock interlock = open();
        LockKey key = LockKey.of("x");
        redis.replica().pause();
        try {
            for (List<LockKey> keys : List.of(List.of(key), List.of(LockKey.of("a"), LockKey.of("b")))) {
                assertThatThrownBy(() -> interlock
                                .locks()
                                .with(keys)
                                .waitAtMost(ofSeconds(5))
                                .acquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("0 of 1 replicas acknowledged");
            }
            assertThatThrownBy(() -> interlock.locks().with(key).shared().acquire())
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(primary("EXISTS", "lock:x", "lock:a", "lock:b", "{lock:x}:s", "{lock:x}:q"))
                    .isEqualTo("0");
        } finally {
            redis.replica().resume();
        }
        granted(interlock.locks(), key).close();
    }

    /** R09: handed over by a push, so that no attempt of the waiter's asked for the acknowledgement. */
    @Test
    void waiterDoesNotGetAPushedLockWhileTheReplicaIsFrozen() {
        LockKey key = LockKey.of("pushed");
        Interlock holder = open();
        Interlock waiter = open();
        Lease held = holder.locks().acquire(key);
        PendingLease<Lease> waiting =
                waiter.locks().with(key).waitAtMost(ofSeconds(30)).acquireAsync();
        await().until(() -> primary("LLEN", "{lock:pushed}:q").equals("1"));
        redis.replica().pause();
        try {
            held.close();
            assertThat(waiting.toCompletableFuture()).failsWithin(ofSeconds(2));
        } finally {
            redis.replica().resume();
        }
        if (waiting.toCompletableFuture().isCompletedExceptionally()) {
            assertThatThrownBy(waiting.toCompletableFuture()::join).hasCauseInstanceOf(StoreUnavailableException.class);
        }
        Lease next = waiting.toCompletableFuture().isCompletedExceptionally()
                ? granted(waiter.locks(), key)
                : waiting.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(next.token().isNewerThan(held.token())).isTrue();
        next.close();
        await().until(() -> primary("EXISTS", "lock:pushed", "{lock:pushed}:q").equals("0"));
    }

    /** Each waiting for its own trip to the replica, a thousand grants at once were told that the store is not available. */
    @Test
    void grantsAtTheSameTimeShareTheirWaitForTheReplica() {
        Interlock interlock = open();
        granted(interlock.locks(), LockKey.of("first")).close();
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
    void replicaThatLeavesAndReturnsIsNoLastingError() {
        LockKey key = LockKey.of("left");
        Interlock interlock = open();
        Lease held = interlock
                .locks()
                .with(LockKey.of("held"))
                .leaseFor(ofSeconds(3))
                .acquire();
        redis.command(redis.replica(), "REPLICAOF", "NO", "ONE");
        await().until(() -> primary("INFO", "replication").contains("connected_slaves:0"));
        try {
            assertThatThrownBy(() -> interlock.locks().acquire(key)).isInstanceOf(StoreUnavailableException.class);
        } finally {
            redis.command(
                    redis.replica(),
                    "REPLICAOF",
                    redis.primary().host(),
                    Integer.toString(redis.primary().port()));
        }
        granted(interlock.locks(), key).close();
        held.ensureHeld();
        held.close();
    }

    /** X18: only who wants acknowledgements needs this right. */
    @Test
    void missingRightToWaitIsNamedAndNothingStaysLocked() {
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
