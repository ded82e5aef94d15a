package dev.interlock.redis;

import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.redis.RedisBackend.Guard;
import dev.interlock.testkit.history.Fault;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.TwinHold;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.Ask;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens grow whatever the server forgets, and what they need is all that stays behind. */
class RedisTokenTest {
    @Order(1)
    @RegisterExtension
    final RedisServer redis = RedisServer.own();

    @Order(2)
    @RegisterExtension
    final Processes processes = new Processes();

    @Order(3)
    @RegisterExtension
    final JudgedRun run = new JudgedRun(RedisForWorkers.patiently(() -> backend(Guard.STANDARD)));

    private RedisBackend.Builder backend(Guard guard) {
        return RedisBackend.builder(redis.uri()).restartGuard(guard).longestLease(ofSeconds(1));
    }

    private JudgedClient client(String name, Guard guard) {
        return run.client(name, RedisForWorkers.patiently(backend(guard)), options -> options);
    }

    /** R13 */
    @ParameterizedTest
    @ValueSource(strings = {"FLUSHALL", "DEL lock:fenced:x lock:unfenced:x"})
    void holderOfAForgottenLockIsToldAtItsNextRenewalAndTheNextTokenIsLarger(String command) throws Exception {
        LockKey key = run.key("x");
        LockKey unfencedKey = run.unfencedKey("x");
        JudgedClient witness = client("witness", Guard.STANDARD);
        JudgedClient holder = client("holder", Guard.STANDARD);
        TwinHold before = TwinHold.begin(key, unfencedKey, holder::acquire);
        Fault forgotten = run.recorder().faultStarted("forgotten lock");
        redis.command(command.split(" "));
        forgotten.acted();
        long start = System.nanoTime();
        TwinHold after = TwinHold.begin(key, unfencedKey, witness::acquire);
        after.assertNewerThan(before);
        after.write();
        before.writeTooLate();
        after.release(ReleaseResult.RELEASED);
        LossReason reason = before.fenced().lease().lost().toCompletableFuture().get(10, TimeUnit.SECONDS);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        System.out.printf("After %s the holder was told %s after %d ms of a lease of 3 s%n", command, reason, millis);
        assertThat(millis).isLessThan(3_000);
        assertThatThrownBy(before.fenced().lease()::ensureHeld).isInstanceOf(LeaseLostException.class);
        forgotten.stopped();
        before.release(ReleaseResult.ALREADY_ENDED);

        long last = after.fenced().token();
        for (JudgedClient process : List.of(holder, client("newcomer", Guard.STANDARD), witness)) {
            last = updatedOnce(process.acquire(key), last);
        }
        TwinHold.assertBitten(run.assertClean(
                "R13 " + command,
                expected -> expected.injecting("forgotten lock").exclusivityMayBreakIn("forgotten lock")));
    }

    /** Updates and releases, with a larger token than the last; gives the token. */
    private static long updatedOnce(JudgedClient.Held held, long last) {
        assertThat(held.token()).isGreaterThan(last);
        held.finish();
        return held.token();
    }

    /** R13, again and again: whoever comes first after the counter is gone. */
    @Test
    void tokensGrowThroughRepeatedFlushes() {
        LockKey key = run.key("x");
        List<JudgedClient> clients =
                List.of(client("one", Guard.OFF), client("two", Guard.OFF), client("three", Guard.OFF));
        long last = 0;
        for (int round = 0; round < 60; round++) {
            last = updatedOnce(clients.get(round * 7 % 3).acquire(key), last);
            if (round % 2 == 0) {
                Fault flushed = run.recorder().faultStarted("flush");
                redis.command("FLUSHALL");
                flushed.acted();
                flushed.stopped();
            }
        }
        run.assertClean("R13 flushall, again and again", "flush");
    }

    /** R01 */
    @ParameterizedTest
    @EnumSource(
            value = Guard.class,
            names = {"OFF", "STANDARD"})
    void tokensGrowThroughKillsWithoutPersistence(Guard guard) {
        LockKey key = run.key("x");
        JudgedClient one = client("one", guard);
        JudgedClient two = client("two", guard);
        List<Long> tokens = new ArrayList<>();
        long last = 0;
        for (int round = 0; round < 2; round++) {
            for (JudgedClient process : List.of(one, two, client("newcomer", guard))) {
                last = updatedOnce(process.granted(key), last);
                tokens.add(last);
            }
            Fault restarted = run.recorder().faultStarted("restart");
            redis.node().restart();
            restarted.acted();
            run.recorder().serverRestarted("redis", false);
            restarted.stopped();
        }
        tokens.add(updatedOnce(two.granted(key), last));
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        run.assertClean("R01 restart-empty, guard " + guard, "restart");
    }

    /** R11 */
    @Test
    void forgottenScriptsAreSentAgain() throws Exception {
        LockKey key = run.key("x");
        JudgedClient first = client("one", Guard.STANDARD);
        JudgedClient second = client("two", Guard.STANDARD);
        AtomicBoolean done = new AtomicBoolean();
        Fault flush = run.recorder().faultStarted("script flush");
        CompletableFuture<Integer> flushing = CompletableFuture.supplyAsync(() -> {
            int flushes = 0;
            while (!done.get()) {
                redis.command("SCRIPT", "FLUSH");
                flushes++;
            }
            return flushes;
        });
        long last = 0;
        try {
            for (int i = 0; i < 100; i++) {
                JudgedClient.Held held = first.acquire(key);
                CompletableFuture<JudgedClient.Held> waiting = second.acquireAsync(Ask.of(key, LEASE, ofSeconds(20)));
                assertThat(held.renew(ofSeconds(40))).isPositive();
                last = updatedOnce(held, last);
                last = updatedOnce(waiting.get(30, TimeUnit.SECONDS), last);
            }
        } finally {
            done.set(true);
        }
        assertThat(flushing.get(10, TimeUnit.SECONDS))
                .as("times that the scripts were forgotten")
                .isGreaterThan(10);
        flush.acted();
        flush.stopped();
        assertThat(updatedOnce(first.acquire(key), last)).isPositive();
        run.assertClean("R11 script-flush", "script flush");
    }

    @Test
    void onlyTheCounterAndTheTermsStayBehind() throws Exception {
        int names = Boolean.getBoolean("interlock.soak") ? 100_000 : 10_000;
        int atOnce = 200;
        LockKey key = LockKey.of("x");
        Interlock one = processes.open(backend(Guard.STANDARD));
        Interlock two = processes.open(backend(Guard.STANDARD));
        for (int from = 0; from < names; from += atOnce) {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = from; i < from + atOnce; i++) {
                Interlock process = i % 3 == 0 ? two : one;
                LockRequest<Lease> request = process.locks().with(LockKey.of("name-" + i));
                LockRequest<Lease> moded = switch (i % 4) {
                    case 0 -> request;
                    case 1 -> request.shared();
                    case 2 -> request.permits(1, 2);
                    default -> request.lockDelay(ofMillis(50));
                };
                all.add(moded.acquireAsync().toCompletableFuture().thenCompose(Lease::releaseAsync));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        }
        // One that was waited for, and one whose waiter gave up.
        Lease held = one.locks().acquire(key);
        assertThat(two.locks().with(key).tryAcquire(ofMillis(100))).isEmpty();
        PendingLease<Lease> waiting =
                two.locks().with(key).waitAtMost(ofSeconds(10)).acquireAsync();
        held.close();
        waiting.toCompletableFuture().get(10, TimeUnit.SECONDS).close();
        await().atMost(ofSeconds(10)).until(() -> keys().equals(Set.of("interlock:counter", "interlock:terms")));
    }

    private Set<String> keys() {
        return new TreeSet<>(redis.command("KEYS", "*").lines().toList());
    }
}
