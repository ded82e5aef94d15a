package dev.interlock.redis;

import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.Locks;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.redis.RedisBackend.Guard;
import dev.interlock.testkit.checked.CheckedClient;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.checked.TwinHold;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.WorkerRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** R01: a server that restarts without its data grants nothing until the locks that it may have lost have ended. */
@Tag("server")
class RestartGuardTest {
    private static final Duration LONGEST = ofSeconds(2);
    private static final String QUARANTINE = "interlock:quarantine";

    private final LockKey key = LockKey.of("x");

    private static RedisBackend.Builder guarded(RedisServer redis, Guard guard) {
        return RedisBackend.builder(redis.uri()).restartGuard(guard).longestLease(LONGEST);
    }

    /** The circuit breaker may still be open from the restart, so the reason may be reported a moment later. */
    private static void awaitRefusal(Locks locks, LockKey key) {
        Awaitility.await()
                .atMost(ofSeconds(3))
                .untilAsserted(() -> assertThatThrownBy(
                                () -> locks.with(key).waitAtMost(ZERO).acquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("may have lost locks")
                        .hasMessageContaining("for another PT"));
    }

    private static CheckedClient client(CheckedRun run, String name, RedisBackend.Builder backend) {
        return run.client(name, RedisForWorkers.patiently(backend), options -> options);
    }

    /** Acquires for the longest lease, which is also how long a restarted server stays closed. */
    private static CheckedClient.Held acquire(CheckedClient client, LockKey key) {
        return client.acquire(WorkerRequest.of(key, LONGEST, PATIENCE));
    }

    private static void restart(CheckedRun run, RedisServer redis, boolean keepsData) {
        RecordedFault restarted = run.recorder().faultStarted("restart");
        redis.node().restart();
        restarted.acted();
        run.recorder().serverRestarted("redis", keepsData);
        restarted.stopped();
    }

    @Nested
    class WithoutPersistence {
        @Order(1)
        @RegisterExtension
        final RedisServer redis = RedisServer.own();

        @Order(2) // closed first
        @RegisterExtension
        final Processes processes = new Processes();

        @Order(3)
        @RegisterExtension
        final CheckedRun run = new CheckedRun(RedisForWorkers.patiently(() -> guarded(redis, Guard.STANDARD)));

        @Test
        void standardRefusesAllClientsUntilTheLongestLeaseAfterTheStart() {
            LockKey held = run.key("held");
            LockKey unfenced = run.unfencedKey("held");
            CheckedClient witness = client(run, "witness", guarded(redis, Guard.STANDARD));
            TwinHold before = TwinHold.begin(held, unfenced, one -> acquire(witness, one));

            RecordedFault killed = run.recorder().faultStarted("restart");
            redis.node().kill();
            long noEarlierThan = System.nanoTime();
            redis.node().start();
            killed.acted();
            run.recorder().serverRestarted("redis", false);
            killed.stopped();
            Awaitility.await()
                    .atMost(ofSeconds(3))
                    .until(() -> redis.command("EXISTS", QUARANTINE).equals("1"));
            CheckedClient newcomer = client(run, "newcomer", guarded(redis, Guard.STANDARD));
            awaitRefusal(newcomer.interlock().locks(), LockKey.of("never held"));
            awaitRefusal(witness.interlock().locks(), LockKey.of("never held"));

            TwinHold after = TwinHold.begin(held, unfenced, newcomer::granted);
            long closed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - noEarlierThan);
            System.out.printf(
                    "Closed to grants for %d ms after the restart, with a longest lease of %s%n", closed, LONGEST);
            assertThat(closed).isGreaterThanOrEqualTo(LONGEST.toMillis());
            after.assertNewerThan(before);
            after.write();
            before.writeTooLate();
            before.release(ReleaseResult.ALREADY_ENDED);
            after.release(ReleaseResult.RELEASED);
            TwinHold.assertBitten(run.assertClean("R01 restart-empty", "restart"));
        }

        @Test
        void standardTrustsAYoungServerOnFirstConnect() {
            Locks fresh = processes.locks(guarded(redis, Guard.STANDARD));
            fresh.with(key).waitAtMost(ZERO).acquire().close();
        }

        @Test
        void standardIgnoresALostConnection() {
            CheckedClient witness = client(run, "witness", guarded(redis, Guard.STANDARD));
            CheckedClient.Held held = witness.acquire(run.key("held"));
            RecordedFault cut = run.recorder().faultStarted("cut");
            assertThat(redis.command("CLIENT", "KILL", "TYPE", "normal")).isNotEqualTo("0");
            cut.acted();
            cut.stopped();
            CheckedClient.Held other = witness.granted(run.key("other"));
            assertThat(redis.command("EXISTS", QUARANTINE)).isEqualTo("0");
            held.lease().ensureHeld();
            other.finish();
            held.finish();
            run.assertClean("Lost connection under the standard guard", "cut");
        }

        @Test
        void strictRefusesAYoungServerOnFirstConnect() {
            Locks fresh = processes.locks(guarded(redis, Guard.STRICT));
            awaitRefusal(fresh, key);
            Awaitility.await()
                    .atMost(ofSeconds(15))
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> fresh.tryRun(key, lease -> {}));
        }

        /** The lock can have two holders; the fence rejects the older one. */
        @Test
        void offGrantsAtOnceWithALargerToken() {
            LockKey held = run.key("held");
            LockKey unfenced = run.unfencedKey("held");
            CheckedClient witness = client(run, "witness", guarded(redis, Guard.OFF));
            TwinHold before = TwinHold.begin(
                    held, unfenced, one -> witness.acquire(WorkerRequest.of(one, ofSeconds(30), PATIENCE)));
            restart(run, redis, false);
            long start = System.nanoTime();
            CheckedClient newcomer = client(run, "newcomer", guarded(redis, Guard.OFF));
            CheckedClient.Held again = newcomer.granted(held);
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isLessThan(LONGEST.toMillis());
            TwinHold after = TwinHold.of(again, newcomer.granted(unfenced));
            after.assertNewerThan(before);
            boolean two = before.fenced().isHeld();
            after.write();
            before.writeTooLate();
            witness.granted(run.key("connected again")).finish();
            before.release(ReleaseResult.ALREADY_ENDED);
            after.fenced().lease().ensureHeld();
            after.release(ReleaseResult.RELEASED);
            TwinHold.assertBitten(run.assertClean(
                    "R01 restart-empty without a guard: two holders at once " + two,
                    expected -> expected.injecting("restart").exclusivityMayBreakIn("restart")));
        }
    }

    @Nested
    class WithFsyncOnEveryWrite {
        @Order(1)
        @RegisterExtension
        final RedisServer redis = RedisServer.own().with("appendonly", "yes").with("appendfsync", "always");

        @Order(2) // closed first
        @RegisterExtension
        final CheckedRun run = new CheckedRun(RedisForWorkers.patiently(() -> guarded(redis, Guard.STANDARD)));

        @Test
        void locksSurviveAndTheServerStaysOpen() {
            LockKey surviving = run.key("surviving");
            CheckedClient witness = client(run, "witness", guarded(redis, Guard.STANDARD));
            CheckedClient.Held held = witness.acquire(WorkerRequest.of(surviving, ofSeconds(30), PATIENCE));
            restart(run, redis, true);
            CheckedClient.Held other = witness.granted(run.key("other"));
            assertThat(redis.command("EXISTS", QUARANTINE)).isEqualTo("0");
            CheckedClient newcomer = client(run, "newcomer", guarded(redis, Guard.STRICT));
            assertThatThrownBy(() -> newcomer.acquire(WorkerRequest.of(surviving, LONGEST, ZERO)))
                    .isInstanceOf(LockTimeoutException.class);
            held.lease().ensureHeld();
            assertThat(held.renew(ofSeconds(30))).isPositive();
            other.finish();
            held.finish();
            run.assertClean("Restart with fsync on every write", "restart");
        }
    }

    @Nested
    class WithFsyncEverySecond {
        @Order(1)
        @RegisterExtension
        final RedisServer redis = RedisServer.own().with("appendonly", "yes").with("appendfsync", "everysec");

        @Order(2) // closed first
        @RegisterExtension
        final Processes processes = new Processes();

        @Test
        void serverMayHaveLostTheLastSecond() {
            Locks witness = processes.locks(guarded(redis, Guard.STANDARD));
            witness.acquire(LockKey.of("other")).close();
            redis.node().restart();
            awaitRefusal(witness, key);
        }
    }

    /**
     * A server's uptime is the difference of two times in whole seconds, so the server may be a second younger than it
     * reports. A quarantine computed from the reported uptime would end before the last lost lease.
     */
    @ParameterizedTest
    @CsvSource({"0, 2000", "1, 2000", "2, 1000", "3, 0", "600, 0"})
    void quarantineAllowsForTheRoundingOfTheUptime(int uptimeSeconds, long quarantineMillis) {
        RestartGuard guard = new RestartGuard(Guard.STANDARD, LONGEST);
        ServerFacts before = new ServerFacts("run_id:a\nuptime_in_seconds:1000\nmaster_replid:a");
        ServerFacts now = new ServerFacts("run_id:b\nuptime_in_seconds:" + uptimeSeconds + "\nmaster_replid:b");
        assertThat(guard.quarantineMillis(before, now, false)).isEqualTo(quarantineMillis);
        assertThat(guard.quarantineMillis(before, now, true)).isZero();
        assertThat(guard.quarantineMillis(null, now, false)).isZero();
    }
}
