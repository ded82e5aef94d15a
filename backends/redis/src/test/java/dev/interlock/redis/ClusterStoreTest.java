package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.StoreException;
import dev.interlock.testkit.servers.RedisCluster;
import dev.interlock.testkit.servers.ServerNode;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults that only occur with several servers. */
@Tag("full")
@Tag("server")
class ClusterStoreTest {
    @RegisterExtension
    final RedisCluster redis = RedisCluster.own();

    private RedisBackend.Builder backend() {
        return RedisBackend.builder(redis.uris().split(","));
    }

    /** A key whose slot is on the given node. */
    private static LockKey on(int node, String prefix) {
        for (int i = 0; ; i++) {
            LockKey key = LockKey.of(prefix + i);
            if (SlotHash.getSlot("lock:" + key.name()) * 3 / SlotHash.SLOT_COUNT == node) {
                return key;
            }
        }
    }

    /** An attempt that fails as not sent or refused leaves no grants. */
    @Test
    void attemptThatFailsAsNotSentAtItsSecondSlotHoldsNothing() {
        LockKey first = on(0, "a");
        LockKey second = on(1, "b");
        try (BareProcess process = new BareProcess(backend().build())) {
            process.release(process.take(first).grant());
            process.release(process.take(second).grant());
            redis.primaries().get(1).kill();
            OwnerId id = process.newId();
            StoreException error = (StoreException)
                    catchThrowable(() -> process.ask(id, BareProcess.exclusive(first), BareProcess.exclusive(second)));
            String left = redis.command(redis.primaries().get(0), "EXISTS", "lock:" + first.name());
            assertThat(error.kind() != StoreException.Kind.UNKNOWN && left.equals("1"))
                    .as("an orphaned grant")
                    .isFalse();
        }
    }

    @Test
    void attemptThatIsRefusedAtItsSecondSlotHoldsNothing() {
        LockKey first = on(0, "a");
        LockKey second = on(1, "b");
        try (BareProcess process = new BareProcess(backend().build())) {
            redis.command(redis.primaries().get(1), "HSET", "lock:" + second.name(), "x", "y");
            StoreException error = (StoreException) catchThrowable(
                    () -> process.ask(process.newId(), BareProcess.exclusive(first), BareProcess.exclusive(second)));
            String left = redis.command(redis.primaries().get(0), "EXISTS", "lock:" + first.name());
            assertThat(error.kind() != StoreException.Kind.UNKNOWN && left.equals("1"))
                    .as("an orphaned grant")
                    .isFalse();
        }
    }

    @Test
    void strictGuardClosesEveryServerYoungerThanTheLongestLease() {
        List<String> granted = new ArrayList<>();
        try (BareProcess process = new BareProcess(backend()
                .restartGuard(RedisBackend.Guard.STRICT)
                .longestLease(Duration.ofHours(1))
                .build())) {
            for (int node = 0; node < 3; node++) {
                LockKey key = on(node, "k");
                Throwable error = catchThrowable(() -> process.take(key));
                if (error == null) {
                    granted.add("node " + node);
                }
            }
        }
        assertThat(granted).isEmpty();
    }

    @Test
    void renewalIsAnsweredWhileOneServerIsFrozen() {
        LockKey first = on(0, "a");
        LockKey second = on(1, "b");
        ServerNode frozen = redis.primaries().get(1);
        try (BareProcess process = new BareProcess(backend().build())) {
            List<Renewal> both = List.of(
                    BareProcess.renewal(process.take(first).grant(), BareProcess.LONG),
                    BareProcess.renewal(process.take(second).grant(), BareProcess.LONG));
            frozen.pause();
            try {
                long longest = 0;
                for (int i = 0; i < 4; i++) {
                    long start = System.nanoTime();
                    var unused = catchThrowable(
                            () -> BareProcess.answer(process.store().renew(both), Duration.ofSeconds(5)));
                    longest = Math.max(longest, System.nanoTime() - start);
                }
                assertThat(longest).as("the engine waits 2 s").isLessThan(2_000_000_000L);
            } finally {
                frozen.resume();
            }
        }
    }
}
