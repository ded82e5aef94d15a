package dev.interlock.redis;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
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
import dev.interlock.testkit.checked.CheckedClient;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.checked.TwinHold;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.WorkerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens grow whatever data the server loses, and only the keys that they need remain. */
@Tag("server")
@Tag("full")
class RedisTokenTest {
    @Order(1)
    @RegisterExtension
    final RedisServer redis = RedisServer.own();

    @Order(2)
    @RegisterExtension
    final Processes processes = new Processes();

    @Order(3)
    @RegisterExtension
    final CheckedRun run = new CheckedRun(RedisForWorkers.patiently(() -> backend(Guard.STANDARD)));

    private RedisBackend.Builder backend(Guard guard) {
        return RedisBackend.builder(redis.uri()).restartGuard(guard).longestLease(ofSeconds(1));
    }

    private CheckedClient client(String name, Guard guard) {
        return run.client(name, RedisForWorkers.patiently(backend(guard)), options -> options);
    }

    /** R13 */
    @ParameterizedTest
    @ValueSource(strings = {"FLUSHALL", "DEL lock:fenced:x lock:unfenced:x"})
    void holderOfALostLockIsNotifiedAtItsNextRenewalAndTheNextTokenIsLarger(String command) throws Exception {
        LockKey key = run.key("x");
        LockKey unfencedKey = run.unfencedKey("x");
        CheckedClient witness = client("witness", Guard.STANDARD);
        CheckedClient holder = client("holder", Guard.STANDARD);
        TwinHold before = TwinHold.begin(key, unfencedKey, holder::acquire);
        RecordedFault forgotten = run.recorder().faultStarted("forgotten lock");
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
        System.out.printf("After %s the loss %s was reported after %d ms of a lease of 3 s%n", command, reason, millis);
        assertThat(millis).isLessThan(3_000);
        assertThatThrownBy(before.fenced().lease()::ensureHeld).isInstanceOf(LeaseLostException.class);
        forgotten.stopped();
        before.release(ReleaseResult.ALREADY_ENDED);

        long last = after.fenced().token();
        for (CheckedClient process : List.of(holder, client("newcomer", Guard.STANDARD), witness)) {
            last = updatedOnce(process.acquire(key), last);
        }
        TwinHold.assertBitten(run.assertClean(
                "R13 " + command,
                expected -> expected.injecting("forgotten lock").exclusivityMayBreakIn("forgotten lock")));
    }

    /** Updates and releases with a larger token than the last. Returns the token. */
    private static long updatedOnce(CheckedClient.Held held, long last) {
        assertThat(held.token()).isGreaterThan(last);
        held.finish();
        return held.token();
    }

    /** R13, repeatedly: any client can be the first after the counter was lost. */
    @Test
    void tokensGrowThroughRepeatedFlushes() {
        LockKey key = run.key("x");
        List<CheckedClient> clients =
                List.of(client("one", Guard.OFF), client("two", Guard.OFF), client("three", Guard.OFF));
        long last = 0;
        for (int round = 0; round < 60; round++) {
            last = updatedOnce(clients.get(round * 7 % 3).acquire(key), last);
            if (round % 2 == 0) {
                RecordedFault flushed = run.recorder().faultStarted("flush");
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
        CheckedClient one = client("one", guard);
        CheckedClient two = client("two", guard);
        List<Long> tokens = new ArrayList<>();
        long last = 0;
        for (int round = 0; round < 2; round++) {
            for (CheckedClient process : List.of(one, two, client("newcomer", guard))) {
                last = updatedOnce(process.granted(key), last);
                tokens.add(last);
            }
            RecordedFault restarted = run.recorder().faultStarted("restart");
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
    void flushedScriptsAreLoadedAgain() throws Exception {
        LockKey key = run.key("x");
        CheckedClient first = client("one", Guard.STANDARD);
        CheckedClient second = client("two", Guard.STANDARD);
        AtomicBoolean done = new AtomicBoolean();
        RecordedFault flush = run.recorder().faultStarted("script flush");
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
                CheckedClient.Held held = first.acquire(key);
                CompletableFuture<CheckedClient.Held> waiting =
                        second.acquireAsync(WorkerRequest.of(key, LEASE, ofSeconds(20)));
                assertThat(held.renew(ofSeconds(40))).isPositive();
                last = updatedOnce(held, last);
                last = updatedOnce(waiting.get(30, TimeUnit.SECONDS), last);
            }
        } finally {
            done.set(true);
        }
        assertThat(flushing.get(10, TimeUnit.SECONDS)).as("script flushes").isGreaterThan(10);
        flush.acted();
        flush.stopped();
        assertThat(updatedOnce(first.acquire(key), last)).isPositive();
        run.assertClean("R11 script-flush", "script flush");
    }

    @Test
    void onlyTheCounterAndTheAgreementRemain() throws Exception {
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
        // One lock that had a waiter, and one whose waiter gave up.
        Lease held = one.locks().acquire(key);
        assertThat(two.locks().with(key).tryAcquire(ofMillis(100))).isEmpty();
        PendingLease<Lease> waiting =
                two.locks().with(key).waitAtMost(ofSeconds(10)).acquireAsync();
        held.close();
        waiting.toCompletableFuture().get(10, TimeUnit.SECONDS).close();
        await().atMost(ofSeconds(10)).until(() -> keys().equals(Set.of("interlock:counter", "interlock:agreement")));
    }

    private Set<String> keys() {
        return new TreeSet<>(redis.command("KEYS", "*").lines().toList());
    }
}
