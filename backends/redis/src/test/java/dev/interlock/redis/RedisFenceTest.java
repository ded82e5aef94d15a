package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.testkit.servers.RedisCluster;
import dev.interlock.testkit.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A stale write to data in Redis is rejected in the same step that would have written. */
@Tag("server")
class RedisFenceTest {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @RegisterExtension
    static final RedisCluster cluster = RedisCluster.shared();

    private final LockKey key = LockKey.of("stock", UUID.randomUUID().toString());
    private Interlock interlock;
    private RedisClient client;
    private StatefulRedisConnection<String, String> connection;
    private RedisFence fence;
    private String stock;

    @BeforeEach
    void connect() {
        interlock = Interlock.over(InMemoryBackend.create());
        client = RedisClient.create(redis.uri());
        connection = client.connect();
        fence = RedisFence.over(connection.sync());
        stock = fence.key(key, "stock");
    }

    @AfterEach
    void close() {
        interlock.close();
        client.shutdown();
    }

    private Lease releasedLease() {
        Lease lease = interlock.locks().acquire(key);
        lease.close();
        return lease;
    }

    @Test
    void holderCanWrite() {
        Lease lease = interlock.locks().acquire(key);
        fence.raise(lease);
        assertThat(fence.write(lease, "SET", stock, "7")).isEqualTo("OK");
        assertThat(fence.write(lease, "INCRBY", stock, "3")).isEqualTo(10L);
        assertThat(connection.sync().get(stock)).isEqualTo("10");
    }

    @Test
    void staleWriteIsRejectedAndWritesNothing() {
        Lease stale = releasedLease();
        Lease current = interlock.locks().acquire(key);
        fence.write(stale, "SET", stock, "old");
        fence.raise(current);
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> fence.write(stale, "SET", stock, "late"))
                .satisfies(refused -> {
                    assertThat(refused.refused()).isEqualTo(stale.token());
                    assertThat(refused.newest()).isEqualTo(current.token());
                });
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> fence.check(stale));
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> fence.raise(stale));
        assertThat(connection.sync().get(stock)).isEqualTo("old");
    }

    @Test
    void tokensThatDifferInTheLastOfSixtyBitsAreDifferent() {
        Lease lease = interlock.locks().acquire(key);
        long newer = lease.token().value() + 1;
        assertThat(newer).isGreaterThan(1L << 60);
        connection.sync().hset("fence:" + key.name(), "token", String.format("%019d", newer));
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> fence.raise(lease))
                .satisfies(refused -> assertThat(refused.newest().value()).isEqualTo(newer));
    }

    @Test
    void tokensOfOtherLocksAreNotCompared() {
        Lease old = releasedLease();
        Lease other =
                interlock.locks().acquire(LockKey.of("stock", UUID.randomUUID().toString()));
        fence.raise(other);
        fence.raise(old);
    }

    @Test
    void sharedLeasePassesUntilANewerTokenIsSeen() {
        Lease shared = interlock.locks().with(key).shared().acquire();
        fence.check(shared);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.raise(shared))
                .withMessageContaining("SHARED");
        shared.close();
        fence.raise(interlock.locks().acquire(key));
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> fence.check(shared));
    }

    @Test
    void permitsAreRejected() {
        Lease permit = interlock.locks().with(key).permits(1, 3).acquire();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.check(permit))
                .withMessageContaining("permits");
    }

    @Test
    void commandThatRedisRefusesIsReportedAndLeavesTheFenceRaised() {
        Lease lease = interlock.locks().acquire(key);
        fence.write(lease, "SET", stock, "text");
        assertThatExceptionOfType(LockRefusedException.class)
                .isThrownBy(() -> fence.write(lease, "INCRBY", stock, "1"))
                .withMessageContaining(key.name());
        fence.check(lease);
    }

    @Test
    void lostConnectionIsReportedAsUnavailable() {
        Lease lease = interlock.locks().acquire(key);
        connection.close();
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> fence.raise(lease));
    }

    @Test
    void fenceDoesNotRevealTheOwner() {
        Lease lease = interlock.locks().acquire(key);
        fence.raise(lease);
        assertThat(connection.sync().hgetall("fence:" + key.name()).values())
                .noneMatch(value -> value.contains(lease.owner().incarnation()));
    }

    @Test
    void fenceAndDataShareASlotInACluster() {
        RedisClusterClient clusterClient = RedisClusterClient.create(
                "redis://" + cluster.primaries().get(0).address());
        try (var clusterConnection = clusterClient.connect()) {
            RedisFence inCluster = RedisFence.over(clusterConnection.sync());
            LockKey odd = LockKey.of("stock", "{odd}%" + UUID.randomUUID());
            Lease lease = interlock.locks().acquire(odd);
            inCluster.write(lease, "SET", inCluster.key(odd, "stock"), "1");
            assertThat(clusterConnection.sync().get(inCluster.key(odd, "stock")))
                    .isEqualTo("1");
        } finally {
            clusterClient.shutdown();
        }
    }
}
