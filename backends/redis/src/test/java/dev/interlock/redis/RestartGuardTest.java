package dev.interlock.redis;

import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
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
import dev.interlock.testkit.history.Fault;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.TwinHold;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.Ask;
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

    private static JudgedClient client(JudgedRun run, String name, RedisBackend.Builder backend) {
        return run.client(name, RedisForWorkers.patiently(backend), options -> options);
    }

    /** For as long as a server that forgot it would be closed to grants. */
    private static JudgedClient.Held acquire(JudgedClient client, LockKey key) {
        return client.acquire(Ask.of(key, LONGEST, PATIENCE));
    }

    private static void restart(JudgedRun run, RedisServer redis, boolean keepsMemory) {
        Fault restarted = run.recorder().faultStarted("restart");
        redis.node().restart();
        restarted.acted();
        run.recorder().serverRestarted("redis", keepsMemory);
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
        final JudgedRun run = new JudgedRun(RedisForWorkers.patiently(() -> guarded(redis, Guard.STANDARD)));

        @Test
        void standardRefusesEveryoneUntilTheLongestLeaseAfterTheStart() {
            LockKey held = run.key("held");
            LockKey unfenced = run.unfencedKey("held");
            JudgedClient witness = client(run, "witness", guarded(redis, Guard.STANDARD));
            TwinHold before = TwinHold.begin(held, unfenced, one -> acquire(witness, one));

            Fault killed = run.recorder().faultStarted("restart");
            redis.node().kill();
            long noEarlierThan = System.nanoTime();
            redis.node().start();
            killed.acted();
            run.recorder().serverRestarted("redis", false);
            killed.stopped();
            Awaitility.await()
                    .atMost(ofSeconds(3))
                    .until(() -> redis.command("EXISTS", MARK).equals("1"));
            JudgedClient newcomer = client(run, "newcomer", guarded(redis, Guard.STANDARD));
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
        void standardTrustsAYoungServerThatItNeverSawBefore() {
            Locks fresh = processes.locks(guarded(redis, Guard.STANDARD));
            fresh.with(key).waitAtMost(ZERO).acquire().close();
        }

        @Test
        void standardDoesNotMindALostConnection() {
            JudgedClient witness = client(run, "witness", guarded(redis, Guard.STANDARD));
            JudgedClient.Held held = witness.acquire(run.key("held"));
            Fault cut = run.recorder().faultStarted("cut");
            assertThat(redis.command("CLIENT", "KILL", "TYPE", "normal")).isNotEqualTo("0");
            cut.acted();
            cut.stopped();
            JudgedClient.Held other = witness.granted(run.key("other"));
            assertThat(redis.command("EXISTS", MARK)).isEqualTo("0");
            held.lease().ensureHeld();
            other.finish();
            held.finish();
            run.assertClean("Lost connection under the standard guard", "cut");
        }

        @Test
        void strictRefusesAYoungServerThatItNeverSawBefore() {
            Locks fresh = processes.locks(guarded(redis, Guard.STRICT));
            awaitRefusal(fresh, key);
            Awaitility.await()
                    .atMost(ofSeconds(15))
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> fresh.tryRun(key, lease -> {}));
        }

        /** Two may believe that they hold it; the fence tells them apart. */
        @Test
        void offGrantsAtOnceAndTheTokenIsLarger() {
            LockKey held = run.key("held");
            LockKey unfenced = run.unfencedKey("held");
            JudgedClient witness = client(run, "witness", guarded(redis, Guard.OFF));
            TwinHold before =
                    TwinHold.begin(held, unfenced, one -> witness.acquire(Ask.of(one, ofSeconds(30), PATIENCE)));
            restart(run, redis, false);
            long start = System.nanoTime();
            JudgedClient newcomer = client(run, "newcomer", guarded(redis, Guard.OFF));
            JudgedClient.Held again = newcomer.granted(held);
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
    class WithALogSyncedWithEveryWrite {
        @Order(1)
        @RegisterExtension
        final RedisServer redis = RedisServer.own().with("appendonly", "yes").with("appendfsync", "always");

        @Order(2) // closed first
        @RegisterExtension
        final JudgedRun run = new JudgedRun(RedisForWorkers.patiently(() -> guarded(redis, Guard.STANDARD)));

        @Test
        void locksSurviveAndNothingIsClosed() {
            LockKey kept = run.key("kept");
            JudgedClient witness = client(run, "witness", guarded(redis, Guard.STANDARD));
            JudgedClient.Held held = witness.acquire(Ask.of(kept, ofSeconds(30), PATIENCE));
            restart(run, redis, true);
            JudgedClient.Held other = witness.granted(run.key("other"));
            assertThat(redis.command("EXISTS", MARK)).isEqualTo("0");
            JudgedClient newcomer = client(run, "newcomer", guarded(redis, Guard.STRICT));
            assertThatThrownBy(() -> newcomer.acquire(Ask.of(kept, LONGEST, ZERO)))
                    .isInstanceOf(LockTimeoutException.class);
            held.lease().ensureHeld();
            assertThat(held.renew(ofSeconds(30))).isPositive();
            other.finish();
            held.finish();
            run.assertClean("Restart with a log that is synced with every write", "restart");
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
