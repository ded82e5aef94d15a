package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.StoreException;
import dev.interlock.testkit.servers.RedisReplicated;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Grants that no replica acknowledges. */
@Tag("full")
@Tag("server")
class ReplicaAckFaultTest {
    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");

    @RegisterExtension
    final RedisReplicated redis = RedisReplicated.own();

    /** An attempt that fails as not sent has no queue place either. */
    @Test
    void attemptWhoseGrantsWereReleasedDoesNotQueue() {
        try (BareProcess holder = new BareProcess(RedisBackend.connect(redis.uri()));
                BareProcess process = new BareProcess(RedisBackend.builder(redis.uri())
                        .durability(RedisBackend.Durability.replicaAck(1))
                        .build())) {
            holder.take(B);
            process.release(process.take(A).grant());
            redis.replica().pause();
            StoreException error = (StoreException) catchThrowable(
                    () -> process.queue(process.newId(), BareProcess.exclusive(A), BareProcess.exclusive(B)));
            String queued = redis.command(redis.primary(), "LLEN", "{lock:b}:q");
            redis.replica().resume();
            assertThat(error.kind() == StoreException.Kind.NOT_SENT && queued.equals("1"))
                    .isFalse();
        }
    }

    @Test
    void grantThatNoReplicaHasIsReleased() {
        try (BareProcess process = new BareProcess(RedisBackend.builder(redis.uri())
                .durability(RedisBackend.Durability.replicaAck(1))
                .build())) {
            process.release(process.take(A).grant());
            redis.replica().pause();
            int acknowledged = 0;
            for (int i = 0; i < 5; i++) {
                LockKey key = LockKey.of("k" + i);
                acknowledged += catchThrowable(() -> process.take(key)) == null ? 1 : 0;
            }
            redis.replica().resume();
            assertThat(acknowledged).isZero();
            assertThat(redis.command(redis.primary(), "EXISTS", "lock:k0", "lock:k1", "lock:k2", "lock:k3", "lock:k4"))
                    .isEqualTo("0");
        }
    }
}
