package dev.interlock.testkit.checked;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static dev.interlock.testkit.checked.CheckedRun.SLACK;
import static dev.interlock.testkit.checked.CheckedRun.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.servers.ServerClock;
import dev.interlock.testkit.workers.CriticalSection;
import dev.interlock.testkit.workers.Progress;
import dev.interlock.testkit.workers.Worker;
import dev.interlock.testkit.workers.WorkerRequest;
import dev.interlock.testkit.workers.WorkerSetup;
import dev.interlock.testkit.workers.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Wall clocks are stepped: the server's, C01 and C02, and the clients', C04. If leases end by the server's wall clock,
 * a step forward can grant a lock twice. The fence still rejects stale writes.
 */
@Timeout(90)
abstract class ClockCases extends FaultCases {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** How much two clocks that are read one after the other may differ on a busy machine. */
    private static final Duration READING = Duration.ofMillis(50);

    ClockCases(FaultTck kit) {
        super(kit, FaultTck.Disturbance.CLOCK);
    }

    /** Steps the server's clock and waits until the server shows it. */
    private void step(Duration by) {
        Instant expected = target().serverTime().plus(by);
        target().stepClock(by);
        until(
                "the server's clock is stepped",
                () -> Duration.between(expected, target().serverTime()).abs().compareTo(Duration.ofSeconds(10)) < 0);
    }

    /** C01. Everything is locked twice, so that the unfenced twin shows what the fence prevents. */
    @Test
    void serverClockSteppedForwardMayGrantTwiceButLosesNoUpdate() {
        FaultRun run = run();
        LockKey key = run.key("c01");
        LockKey control = run.unfencedKey("c01");
        CheckedClient client = run.direct("one");
        CheckedClient other = run.direct("two");
        WorkerRequest request = WorkerRequest.of(key, LEASE.multipliedBy(3), PATIENCE);
        WorkerRequest controlRequest = WorkerRequest.of(control, LEASE.multipliedBy(3), PATIENCE);
        TwinHold held = TwinHold.of(client.acquire(request), client.acquire(controlRequest));
        CompletableFuture<CheckedClient.Held> waiting = other.acquireAsync(request);
        CompletableFuture<CheckedClient.Held> waitingControl = other.acquireAsync(controlRequest);
        until("both are queued", () -> run.state().hasQueue(key) && run.state().hasQueue(control));

        RecordedFault stepped = run.recorder().faultStarted("clock");
        step(MINUTE);
        try {
            stepped.acted();
            TwinHold next = TwinHold.of(CheckedClient.await(waiting), CheckedClient.await(waitingControl));
            boolean overlap = held.fenced().isHeld();
            next.assertNewerThan(held);
            next.write();
            held.writeTooLate();
            until("the next renewal reports the loss", () -> held.fenced().lost() == LossReason.REPLACED);
            stepped.stopped();

            assertThat(next.fenced().isHeld()).isTrue();
            next.release(ReleaseResult.RELEASED);
            held.release(ReleaseResult.ALREADY_ENDED);
            assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
            TwinHold.assertBitten(run.assertClean(
                    "C01 server-forward-60s: two holders at once " + overlap,
                    expected -> expected.injecting("clock").exclusivityMayBreakIn("clock")));
        } finally {
            step(MINUTE.negated());
        }
    }

    /** C02. A released lock is handed over at once. An orphaned grant lasts longer by the step, and no longer. */
    @Test
    void serverClockSteppedBackDelaysAnOrphanedGrantByTheStepAndNothingElse() {
        FaultRun run = run();
        LockKey key = run.key("c02");
        LockKey orphaned = run.key("c02-orphan");
        CheckedClient client = run.direct("one");
        CheckedClient other = run.direct("two");
        CheckedClient.Held held = client.acquire(key);
        long began = System.nanoTime();
        CheckedClient.Held orphan =
                client.acquire(WorkerRequest.of(orphaned, LEASE, PATIENCE).unrenewed());
        CompletableFuture<CheckedClient.Held> waiting = other.acquireAsync(WorkerRequest.of(key, LEASE, PATIENCE));
        until("the waiter is queued", () -> run.state().hasQueue(key));

        RecordedFault stepped = run.recorder().faultStarted("clock");
        step(MINUTE.negated());
        stepped.acted();
        long left = run.state().millisLeft(orphaned);
        Duration passed = Duration.ofNanos(System.nanoTime() - began).plus(READING);
        assertThat(left)
                .as("milliseconds until the orphaned grant ends")
                .isBetween(
                        MINUTE.plus(LEASE).minus(passed).toMillis(),
                        MINUTE.plus(LEASE).toMillis());
        assertThat(held.isHeld()).isTrue();
        assertThat(held.update()).isTrue();
        Duration handOver = CheckedRun.timed(() -> {
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
            CheckedClient.Held next = CheckedClient.await(waiting);
            assertThat(next.token()).isGreaterThan(held.token());
            next.finish();
        });
        assertThat(handOver).as("hand-over").isLessThan(target().handsOverWithin());
        CheckedClient.Held fresh = client.acquire(key);
        assertThat(fresh.token()).isGreaterThan(held.token());
        assertThat(fresh.update()).isTrue();
        fresh.awaitRenewal();
        assertThat(fresh.release()).isEqualTo(ReleaseResult.RELEASED);

        // For the server it makes no difference whether the minute passes or the clock is corrected.
        step(MINUTE);
        stepped.stopped();
        Duration recovered = CheckedRun.timed(() -> {
            CheckedClient.Held next = other.acquire(orphaned);
            assertThat(next.token()).isGreaterThan(orphan.token());
            next.finish();
        });
        assertThat(recovered).as("recovery").isLessThan(LEASE.plus(SLACK));
        run.assertClean(
                "C02 server-back-60s: an orphaned grant would have lasted for " + left + " ms, hand-over "
                        + handOver.toMillis() + " ms",
                "clock");
    }

    /** C04. The worker reports its wall clock, so that the test sees the steps act. */
    @Test
    void wallClocksOfClientsChangeNothing(@TempDir Path folder) {
        ServerClock clock = ServerClock.in(folder);
        Path reported = folder.resolve("wall");
        FaultRun run = begin(workers -> onClock(workers, clock, reported));
        Worker stepped = run.startWorkers(1).get(0);
        CheckedClient other = run.direct("other");
        List<LockKey> keys = List.of(run.key("c04-a"), run.key("c04-b"));
        stepped.run(new Workload(
                4, keys.stream().map(LockKey::name).toList(), LEASE, LEASE, Duration.ofMillis(50), true, false, 4));
        stepped.awaitGrants(20, PATIENCE);
        for (int hours : new int[] {1, -2, 1}) {
            RecordedFault fault = run.recorder().faultStarted("client clock");
            clock.step(Duration.ofHours(hours));
            until(
                    "the worker's clock is stepped",
                    () -> ClockReportingBackend.aheadOfHost(reported)
                                    .minus(clock.offset())
                                    .abs()
                                    .compareTo(MINUTE)
                            < 0);
            fault.acted();
            stepped.awaitGrants(20, PATIENCE);
            for (LockKey key : keys) {
                other.acquire(key).finish();
            }
            fault.stopped();
        }
        Progress total = stepped.rest();
        assertThat(total.lost()).as("leases lost").isZero();
        assertThat(total.errors()).as("errors").isZero();
        assertThat(total.of(CriticalSection.Outcome.STALE)).as("stale writes").isZero();
        // Some of the random waits are shorter than a reply takes on a busy machine.
        assertThat(total.of(CriticalSection.Outcome.UNAVAILABLE)).isLessThan(total.grants() / 20);
        run.assertClean(
                "C04 client-wall-step, by +1 h, -2 h, +1 h: " + total.grants() + " grants, 0 lost", "client clock");
    }

    private static WorkerSetup onClock(WorkerSetup workers, ServerClock clock, Path reported) {
        WorkerSetup stepped = ClockReportingBackend.reportTo(reported, workers);
        for (Map.Entry<String, String> variable : clock.variables().entrySet()) {
            stepped = stepped.withVariable(variable.getKey(), variable.getValue());
        }
        // Otherwise every timed wait of a JVM returns at once, since the shim takes its elapsed time for a wall clock.
        return stepped.withVariable("FAKETIME_FORCE_MONOTONIC_FIX", "0");
    }
}
