package dev.interlock.testkit.checked;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.workers.WorkerRequest;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** P13: waiters that are interrupted at any moment leave nothing behind, and keep the interrupt flag. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
abstract class InterruptCases extends FaultCases {
    private static final int SOAK_FACTOR = 10;

    private final long seed = Long.getLong("interlock.seed", 20_261_115);
    private final SplittableRandom random = new SplittableRandom(seed);
    private final AtomicInteger interrupted = new AtomicInteger();
    private final AtomicInteger granted = new AtomicInteger();

    InterruptCases(FaultTck kit) {
        super(kit, FaultTck.Disturbance.NETWORK);
    }

    @Test
    void waiterInterruptedAtAnyMomentLeavesNothingAndKeepsTheFlag() throws Exception {
        int rounds = kit().interruptRounds() * (Boolean.getBoolean("interlock.soak") ? SOAK_FACTOR : 1);
        FaultRun run = run();
        LockKey key = run.key("p13");
        CheckedClient holder = run.direct("holder");
        CheckedClient waiter = run.direct("waiter");
        Duration longest = Duration.ZERO;
        for (int i = 0; i < rounds; i++) {
            CheckedClient.Held held = holder.acquire(key);
            round(held, waiter, key);
            Duration next = CheckedRun.timed(
                    () -> assertThat(holder.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED));
            longest = next.compareTo(longest) > 0 ? next : longest;
        }
        assertThat(interrupted).as("interrupted waits, seed %s", seed).hasValueGreaterThan(rounds / 10);
        assertThat(granted)
                .as("waits granted before the interrupt, seed %s", seed)
                .hasPositiveValue();
        // An orphaned grant would block until its lease ends; an abandoned queue place until its heartbeat is missed.
        assertThat(longest).as("next grant, seed %s", seed).isLessThan(LEASE.dividedBy(2));
        CheckedRun.until(
                "nothing is left of the waits", () -> run.state().leftovers().isEmpty());
        run.assertClean("P13 interrupt-waiter, seed " + seed + ": " + interrupted + " interrupted, " + granted
                + " granted, orphans 0, longest next grant " + longest.toMillis() + " ms");
    }

    /** The release also comes at a random moment, so that interrupts meet the hand-over. */
    private void round(CheckedClient.Held held, CheckedClient waiter, LockKey key) throws InterruptedException {
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread thread = new Thread(() -> flag.complete(waitFor(waiter, key)), "interrupted");
        long withinNanos = kit().interruptWithin().toNanos();
        long releaseAfter = random.nextLong(withinNanos);
        long interruptAfter = random.nextLong(withinNanos);
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
        assertThat(flag.join())
                .as("the flag is set, or the wait was not interrupted")
                .isTrue();
    }

    private boolean waitFor(CheckedClient waiter, LockKey key) {
        try {
            CheckedClient.Held held = waiter.acquire(WorkerRequest.of(key, LEASE, PATIENCE));
            granted.incrementAndGet();
            held.release();
            return true;
        } catch (LockInterruptedException e) {
            interrupted.incrementAndGet();
            return Thread.currentThread().isInterrupted();
        }
    }
}
