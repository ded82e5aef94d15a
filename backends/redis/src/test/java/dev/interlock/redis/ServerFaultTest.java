package dev.interlock.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.FenceGuard;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that stands still or takes no writes for a while. */
class ServerFaultTest {
    private static final Duration LEASE = ofSeconds(3);

    @Order(1)
    @RegisterExtension
    static final RedisServer redis = RedisServer.own();

    @Order(2)
    @RegisterExtension
    final Processes processes = new Processes();

    private Interlock open() {
        return processes.open(RedisBackend.builder(redis.uri()));
    }

    private static Lease granted(Locks locks, LockKey key) {
        return await().atMost(ofSeconds(20))
                .pollInterval(ofMillis(50))
                .ignoreException(StoreUnavailableException.class)
                .until(() -> locks.tryAcquire(key).orElse(null), lease -> lease != null);
    }

    /** R03 */
    @Test
    void serverFrozenForHalfALeaseCostsNoLock() {
        Interlock interlock = open();
        Lease held = interlock.locks().with(LockKey.of("half")).leaseFor(LEASE).acquire();
        redis.node().pause();
        LockSupport.parkNanos(LEASE.toNanos() / 2); // the fault itself
        redis.node().resume();
        granted(interlock.locks(), LockKey.of("other")).close();
        await().atMost(LEASE).until(() -> held.remaining().compareTo(LEASE.dividedBy(2)) > 0);
        held.ensureHeld();
        assertThat(held.lost().toCompletableFuture()).isNotDone();
        held.close();
    }

    /** R03 */
    @Test
    void holderIsToldBeforeAServerFrozenForTwoLeasesComesBack() throws Exception {
        LockKey key = LockKey.of("double");
        Interlock interlock = open();
        Interlock other = open();
        Lease held = interlock.locks().with(key).leaseFor(LEASE).acquire();
        FenceGuard fence = new FenceGuard();
        fence.raise(held);
        redis.node().pause();
        long start = System.nanoTime();
        try {
            assertThatThrownBy(() -> other.locks()
                            .with(LockKey.of("busy"))
                            .waitAtMost(ofSeconds(1))
                            .acquire())
                    .isInstanceOf(StoreUnavailableException.class);
            LossReason reason = held.lost().toCompletableFuture().get(20, TimeUnit.SECONDS);
            long told = System.nanoTime() - start;
            System.out.printf("Server frozen: told %s after %d ms of a lease of %s%n", reason, told / 1_000_000, LEASE);
            assertThat(told).isLessThan(LEASE.toNanos());
            LockSupport.parkNanos(2 * LEASE.toNanos() - (System.nanoTime() - start)); // the rest of the fault
        } finally {
            redis.node().resume();
        }
        assertThatThrownBy(held::ensureHeld).isInstanceOf(LeaseLostException.class);
        Lease next = granted(other.locks(), key);
        assertThat(next.token().isNewerThan(held.token())).isTrue();
        fence.raise(next);
        assertThatThrownBy(() -> fence.run(held, () -> {})).isInstanceOf(StaleTokenException.class);
        next.close();
    }

    /** R04 */
    @Test
    void nobodyBelievesLongerThanTheServerWhenWritesArePaused() {
        LockKey key = LockKey.of("paused");
        Interlock interlock = open();
        Lease before =
                interlock.locks().with(LockKey.of("held")).leaseFor(LEASE).acquire();
        redis.command("CLIENT", "PAUSE", "1500", "WRITE");
        long asked = System.nanoTime();
        Lease lease = interlock
                .locks()
                .with(key)
                .leaseFor(LEASE)
                .renew(false)
                .waitAtMost(ofSeconds(10))
                .acquire();
        Duration waited = Duration.ofNanos(System.nanoTime() - asked);
        long believed = lease.remaining().toMillis();
        long left = Long.parseLong(redis.command("PTTL", "lock:paused"));
        System.out.printf(
                "Writes paused: granted after %d ms, believed %d ms, server %d ms%n",
                waited.toMillis(), believed, left);
        assertThat(waited).isGreaterThan(ofSeconds(1));
        assertThat(left - believed).as("how much longer the server keeps it").isGreaterThanOrEqualTo(-50);
        before.ensureHeld();
        lease.close();
        before.close();
    }
}
