package dev.interlock.redis;

import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.Ask;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** P13: waiters that are interrupted at any moment leave nothing behind, and keep the flag. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RedisInterruptTest {
    private static final int ROUNDS = 300;
    private static final int SOAK_FACTOR = 10;

    /** Around this time a wait is sent, queued, handed its lock and confirmed. */
    private static final long AROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(6);

    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    private final long seed = Long.getLong("interlock.seed", 20_261_115);
    private final SplittableRandom random = new SplittableRandom(seed);
    private final AtomicInteger interrupted = new AtomicInteger();
    private final AtomicInteger granted = new AtomicInteger();

    @Test
    void waiterInterruptedAtAnyMomentLeavesNoTraceAndKeepsTheFlag() throws Exception {
        int rounds = Boolean.getBoolean("interlock.soak") ? ROUNDS * SOAK_FACTOR : ROUNDS;
        try (FaultRun run = new FaultRun(redis)) {
            LockKey key = run.key("p13");
            JudgedClient holder = run.direct("holder");
            JudgedClient waiter = run.direct("waiter");
            Duration longest = Duration.ZERO;
            for (int i = 0; i < rounds; i++) {
                JudgedClient.Held held = holder.acquire(key);
                round(held, waiter, key);
                Duration next = JudgedRun.timed(
                        () -> assertThat(holder.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED));
                longest = next.compareTo(longest) > 0 ? next : longest;
            }
            assertThat(interrupted).as("interrupted waits, seed %s", seed).hasValueGreaterThan(rounds / 10);
            assertThat(granted).as("waits that were faster, seed %s", seed).hasPositiveValue();
            // An orphan would be in the way until its lease is over; a forgotten place for the second in which it must
            // be heard of.
            assertThat(longest).as("next grant, seed %s", seed).isLessThan(LEASE.dividedBy(2));
            JudgedRun.until(
                    "nothing is left of the waits", () -> run.leftovers().isEmpty());
            run.assertClean("P13 interrupt-waiter, seed " + seed + ": " + interrupted + " interrupted, " + granted
                    + " granted, orphans 0, longest next grant " + longest.toMillis() + " ms");
        }
    }

    /** The release comes at a random moment as well, so that interrupts meet the hand-over. */
    private void round(JudgedClient.Held held, JudgedClient waiter, LockKey key) throws InterruptedException {
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread thread = new Thread(() -> flag.complete(waitFor(waiter, key)), "interrupted");
        long releaseAfter = random.nextLong(AROUND_NANOS);
        long interruptAfter = random.nextLong(AROUND_NANOS);
        thread.start();
        LockSupport.parkNanos(Math.min(releaseAfter, interruptAfter));
        if (releaseAfter < interruptAfter) {
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
            LockSupport.parkNanos(interruptAfter - releaseAfter);
            thread.interrupt();
        } else {
            thread.interrupt();
            LockSupport.parkNanos(releaseAfter - interruptAfter);
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        }
        thread.join(PATIENCE.toMillis());
        assertThat(flag).as("the waiter has ended").isDone();
        assertThat(flag.join()).as("the flag is set, or it was not interrupted").isTrue();
    }

    private boolean waitFor(JudgedClient waiter, LockKey key) {
        try {
            JudgedClient.Held held = waiter.acquire(Ask.of(key, LEASE, PATIENCE));
            granted.incrementAndGet();
            held.release();
            return true;
        } catch (LockInterruptedException e) {
            interrupted.incrementAndGet();
            return Thread.currentThread().isInterrupted();
        }
    }
}
