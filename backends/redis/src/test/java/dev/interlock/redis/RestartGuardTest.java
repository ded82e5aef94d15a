package dev.interlock.redis;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.redis.RedisBackend.Guard;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** R01: a server that comes back without its memory grants nothing until the locks it may have forgotten have ended. */
class RestartGuardTest {
    private static final Duration LONGEST = ofSeconds(2);
    private static final String MARK = "interlock:quarantine";

    private final LockKey key = LockKey.of("x");

    private static RedisBackend.Builder guarded(RedisServer redis, Guard guard) {
        return RedisBackend.builder(redis.uri()).restartGuard(guard).longestLease(LONGEST);
    }

    /** The engine's circuit may be open from the time when the server was away; then the reason is told a moment later. */
    private static void awaitRefusal(Locks locks, LockKey key) {
        Awaitility.await()
                .atMost(ofSeconds(3))
                .untilAsserted(() -> assertThatThrownBy(
                                () -> locks.with(key).waitAtMost(ZERO).acquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("lost its memory")
                        .hasMessageContaining("for another PT"));
    }

    private static Lease granted(Locks locks, LockKey key) {
        return Awaitility.await()
                .atMost(ofSeconds(15))
                .pollInterval(ofMillis(400))
                .ignoreException(StoreUnavailableException.class)
                .until(() -> locks.tryAcquire(key).orElse(null), lease -> lease != null);
    }

    @Nested
    class WithoutPersistence {
        @Order(1)
        @RegisterExtension
        final RedisServer redis = RedisServer.own();

        @Order(2) // closed first
        @RegisterExtension
        final Processes processes = new Processes();

        @Test
        void standardRefusesEveryoneUntilTheLongestLeaseAfterTheStart() {
            Locks witness = processes.locks(guarded(redis, Guard.STANDARD));
            Lease before = witness.acquire(key);

            redis.node().kill();
            long noEarlierThan = System.nanoTime();
            redis.node().start();
            Awaitility.await()
                    .atMost(ofSeconds(3))
                    .until(() -> redis.command("EXISTS", MARK).equals("1"));
            Locks newcomer = processes.locks(guarded(redis, Guard.STANDARD));
            awaitRefusal(newcomer, LockKey.of("never held"));
            awaitRefusal(witness, LockKey.of("never held"));

            Lease after = granted(newcomer, key);
            long closed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - noEarlierThan);
            System.out.printf(
                    "Closed to grants for %d ms after the restart, with a longest lease of %s%n", closed, LONGEST);
            assertThat(closed).isGreaterThanOrEqualTo(LONGEST.toMillis());
            assertThat(after.token().isNewerThan(before.token())).isTrue();
        }

        @Test
        void standardTrustsAYoungServerThatItNeverSawBefore() {
            Locks fresh = processes.locks(guarded(redis, Guard.STANDARD));
            fresh.with(key).waitAtMost(ZERO).acquire().close();
        }

        @Test
        void standardDoesNotMindALostConnection() {
            Locks witness = processes.locks(guarded(redis, Guard.STANDARD));
            Lease held = witness.acquire(key);
            redis.command("CLIENT", "KILL", "TYPE", "normal");
            Lease other = granted(witness, LockKey.of("other"));
            assertThat(redis.command("EXISTS", MARK)).isEqualTo("0");
            held.ensureHeld();
            other.close();
            held.close();
        }

        @Test
        void strictRefusesAYoungServerThatItNeverSawBefore() {
            Locks fresh = processes.locks(guarded(redis, Guard.STRICT));
            awaitRefusal(fresh, key);
            granted(fresh, key).close();
        }

        @Test
        void offGrantsAtOnceAndTheTokenIsLarger() {
            Locks witness = processes.locks(guarded(redis, Guard.OFF));
            Lease before = witness.acquire(key);
            redis.node().restart();
            long start = System.nanoTime();
            Lease after = granted(processes.locks(guarded(redis, Guard.OFF)), key);
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isLessThan(LONGEST.toMillis());
            assertThat(after.token().isNewerThan(before.token())).isTrue();
        }
    }

    @Nested
    class WithALogSyncedWithEveryWrite {
        @Order(1)
        @RegisterExtension
        final RedisServer redis = RedisServer.own().with("appendonly", "yes").with("appendfsync", "always");

        @Order(2) // closed first
        @RegisterExtension
        final Processes processes = new Processes();

        @Test
        void locksSurviveAndNothingIsClosed() {
            Locks witness = processes.locks(guarded(redis, Guard.STANDARD));
            Lease held = witness.with(key).leaseFor(ofSeconds(30)).acquire();
            redis.node().restart();
            Lease other = granted(witness, LockKey.of("other"));
            assertThat(redis.command("EXISTS", MARK)).isEqualTo("0");
            assertThat(processes.locks(guarded(redis, Guard.STRICT)).tryAcquire(key))
                    .isEmpty();
            held.ensureHeld();
            assertThat(held.renew(ofSeconds(30))).isPositive();
            other.close();
            held.close();
        }
    }

    @Nested
    class WithALogSyncedEverySecond {
        @Order(1)
        @RegisterExtension
        final RedisServer redis = RedisServer.own().with("appendonly", "yes").with("appendfsync", "everysec");

        @Order(2) // closed first
        @RegisterExtension
        final Processes processes = new Processes();

        @Test
        void itMayHaveForgottenTheLastSecond() {
            Locks witness = processes.locks(guarded(redis, Guard.STANDARD));
            witness.acquire(LockKey.of("other")).close();
            redis.node().restart();
            awaitRefusal(witness, key);
        }
    }

    /**
     * A server tells its age as the difference of two times in whole seconds, so it may be up to a second younger than it says. A
     * quarantine that took it at its word would end before the last forgotten lease.
     */
    @ParameterizedTest
    @CsvSource({"0, 2000", "1, 2000", "2, 1000", "3, 0", "600, 0"})
    void ageIsNotTakenForMoreThanItMayBe(int uptimeSeconds, long quarantineMillis) {
        RestartGuard guard = new RestartGuard(Guard.STANDARD, LONGEST);
        ServerFacts before = new ServerFacts("run_id:a\nuptime_in_seconds:1000\nmaster_replid:a");
        ServerFacts now = new ServerFacts("run_id:b\nuptime_in_seconds:" + uptimeSeconds + "\nmaster_replid:b");
        assertThat(guard.quarantineMillis(before, now, false)).isEqualTo(quarantineMillis);
        assertThat(guard.quarantineMillis(before, now, true)).isZero();
        assertThat(guard.quarantineMillis(null, now, false)).isZero();
    }
}
