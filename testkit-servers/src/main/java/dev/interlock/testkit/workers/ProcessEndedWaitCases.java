package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A wait that has ended is never granted later, also between processes. */
abstract class ProcessEndedWaitCases {
    private static final int ROUNDS = 20;
    private static final int WAITERS = 2;
    private static final Duration AROUND = Duration.ofMillis(60);

    /** Shorter than the time for which a store keeps a queue place or a grant without heartbeats. */
    private static final Duration SOON = Duration.ofMillis(500);

    /** A busy machine is slow occasionally; an abandoned waiter would block repeatedly. */
    private static final int SLOW_ALLOWED = ROUNDS / 10;

    private final ProcessCase run;

    ProcessEndedWaitCases(ProcessCase run) {
        this.run = run;
    }

    /** In half of the rounds the waits end before the release, in the others at about the same time. */
    @Test
    void waiterThatTimedOutIsNeverGrantedLater() {
        List<Worker> workers = run.start(3);
        LockKey key = run.key("patience");
        long seed = Seeds.ofThisRun();
        SplittableRandom random = new SplittableRandom(seed);
        List<Duration> delays = new ArrayList<>();
        int timedOut = 0;
        for (int i = 0; i < ROUNDS; i++) {
            timedOut += round(workers.get(0), workers.get(1), key, patience(i, random));
            long asked = System.nanoTime();
            WorkerLease next = workers.get(2).acquire(run.ask(key)).lease();
            delays.add(Duration.ofNanos(System.nanoTime() - asked));
            assertThat(workers.get(2).release(next)).isEqualTo(ReleaseResult.RELEASED);
        }
        assertThat(timedOut).as("waits that timed out, seed %s", seed).isPositive();
        assertThat(delays.stream().filter(delay -> delay.compareTo(SOON) > 0))
                .as("times that a free lock was not granted in time, seed %s", seed)
                .hasSizeLessThanOrEqualTo(SLOW_ALLOWED);
        run.assertClean(
                "P12 timed-out-waiter: " + timedOut + " of " + ROUNDS * WAITERS
                        + " waits timed out, next grant after at most " + Collections.max(delays) + ", seed " + seed,
                expected -> expected);
    }

    /** Returns how many of the waits timed out; the granted ones are released. */
    private int round(Worker holder, Worker waiter, LockKey key, Supplier<Duration> patience) {
        WorkerLease held = holder.acquire(run.ask(key)).lease();
        List<CompletableFuture<Acquired>> waits = Stream.generate(patience)
                .limit(WAITERS)
                .map(length -> waiter.acquireAsync(WorkerRequest.of(key, run.lease(), length)))
                .toList();
        run.pass(AROUND);
        holder.release(held);
        int timedOut = 0;
        for (CompletableFuture<Acquired> wait : waits) {
            if (run.await(waiter, wait) instanceof Acquired.Granted granted) {
                waiter.release(granted.lease());
            } else {
                timedOut++;
            }
        }
        return timedOut;
    }

    private static Supplier<Duration> patience(int round, SplittableRandom random) {
        long middle = AROUND.toNanos();
        return round % 2 == 0
                ? () -> Duration.ofNanos(random.nextLong(1, middle))
                : () -> Duration.ofNanos(random.nextLong(middle * 2 / 3, middle * 4 / 3));
    }
}
