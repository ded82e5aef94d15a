package dev.interlock.redis;

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
import dev.interlock.lock.Locks;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.redis.RedisBackend.Guard;
import dev.interlock.testkit.servers.RedisServer;
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

    private final LockKey key = LockKey.of("x");

    private Interlock open(Guard guard) {
        return processes.open(
                RedisBackend.builder(redis.uri()).restartGuard(guard).longestLease(ofSeconds(1)));
    }

    private static Lease granted(Locks locks, LockKey key) {
        return await().atMost(ofSeconds(20))
                .pollInterval(ofMillis(100))
                .ignoreException(StoreUnavailableException.class)
                .until(() -> locks.tryAcquire(key).orElse(null), lease -> lease != null);
    }

    /** R13 */
    @ParameterizedTest
    @ValueSource(strings = {"FLUSHALL", "DEL lock:x"})
    void holderOfAForgottenLockIsToldAtItsNextRenewalAndTheNextTokenIsLarger(String command) throws Exception {
        Interlock witness = open(Guard.STANDARD);
        Interlock holder = open(Guard.STANDARD);
        Lease before = holder.locks().with(key).leaseFor(ofSeconds(3)).acquire();
        redis.command(command.split(" "));
        long start = System.nanoTime();
        Lease after = witness.locks().acquire(key);
        assertThat(after.token().isNewerThan(before.token())).isTrue();
        after.close();
        LossReason reason = before.lost().toCompletableFuture().get(10, TimeUnit.SECONDS);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        System.out.printf("After %s the holder was told %s after %d ms of a lease of 3 s%n", command, reason, millis);
        assertThat(millis).isLessThan(3_000);
        assertThatThrownBy(before::ensureHeld).isInstanceOf(LeaseLostException.class);

        long last = after.token().value();
        for (Interlock process : List.of(holder, open(Guard.STANDARD), witness)) {
            try (Lease next = process.locks().acquire(key)) {
                assertThat(next.token().value()).isGreaterThan(last);
                last = next.token().value();
            }
        }
    }

    /** R13, again and again: whoever comes first after the counter is gone. */
    @Test
    void tokensGrowThroughRepeatedFlushes() {
        List<Interlock> processesOfOurs = List.of(open(Guard.OFF), open(Guard.OFF), open(Guard.OFF));
        long last = 0;
        for (int round = 0; round < 60; round++) {
            try (Lease lease = processesOfOurs.get(round * 7 % 3).locks().acquire(key)) {
                assertThat(lease.token().value()).isGreaterThan(last);
                last = lease.token().value();
            }
            if (round % 2 == 0) {
                redis.command("FLUSHALL");
            }
        }
    }

    /** R01 */
    @ParameterizedTest
    @EnumSource(
            value = Guard.class,
            names = {"OFF", "STANDARD"})
    void tokensGrowThroughKillsWithoutPersistence(Guard guard) {
        Interlock one = open(guard);
        Interlock two = open(guard);
        List<Long> tokens = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            for (Interlock process : List.of(one, two, open(guard))) {
                Lease lease = granted(process.locks(), key);
                tokens.add(lease.token().value());
                lease.close();
            }
            redis.node().restart();
        }
        tokens.add(granted(two.locks(), key).token().value());
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    /** R11 */
    @Test
    void forgottenScriptsAreSentAgain() throws Exception {
        Interlock interlock = open(Guard.STANDARD);
        Interlock second = open(Guard.STANDARD);
        AtomicBoolean done = new AtomicBoolean();
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
                Lease held = interlock.locks().acquire(key);
                assertThat(held.token().value()).isGreaterThan(last);
                PendingLease<Lease> waiting =
                        second.locks().with(key).waitAtMost(ofSeconds(20)).acquireAsync();
                assertThat(held.renew(ofSeconds(40))).isPositive();
                held.close();
                try (Lease next = waiting.toCompletableFuture().get(30, TimeUnit.SECONDS)) {
                    last = next.token().value();
                    assertThat(last).isGreaterThan(held.token().value());
                }
            }
        } finally {
            done.set(true);
        }
        assertThat(flushing.get(10, TimeUnit.SECONDS))
                .as("times that the scripts were forgotten")
                .isGreaterThan(10);
    }

    @Test
    void onlyTheCounterAndTheTermsStayBehind() throws Exception {
        int names = Boolean.getBoolean("interlock.soak") ? 100_000 : 10_000;
        int atOnce = 200;
        Interlock one = open(Guard.STANDARD);
        Interlock two = open(Guard.STANDARD);
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
