package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.OrderPolicy;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.workers.NestedLocks.Outcome;
import dev.interlock.testkit.workers.NestedLocks.Report;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Processes that nest locks in opposite orders: how each layer reacts, and that detection ends exactly one wait of each
 * cycle.
 */
@Tag("deadlock")
abstract class ProcessDeadlockCases {
    private static final boolean SOAK = Boolean.getBoolean("interlock.soak");

    /** From the start of the last wait: one second of patience, and two detection intervals. */
    private static final Duration FOUND_WITHIN = Duration.ofSeconds(2);

    /** What a busy machine may add before a cycle counts as undetected. */
    private static final Duration BROKEN_WITHIN = Duration.ofSeconds(4);

    /** The lease of the killed monitor, and then the usual time. */
    private static final Duration MONITOR_BACK_WITHIN = BROKEN_WITHIN.plusSeconds(6);

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration DWELL = Duration.ofMillis(250);

    /**
     * Long enough that all members of a cycle have their first key when the first one requests its second, even on a
     * busy machine.
     */
    private static final Duration LONG_DWELL = Duration.ofMillis(1500);

    private static final int STORM_PROCESSES = 8;
    private static final int STORM_KEYS = 20;

    private final ProcessCase run;

    ProcessDeadlockCases(ProcessCase run) {
        this.run = run;
    }

    private NestedLocks nest(LockKey... keys) {
        return nest(DWELL, keys);
    }

    private NestedLocks nest(Duration dwell, LockKey... keys) {
        return new NestedLocks(List.of(keys), false, run.lease(), PATIENCE, dwell);
    }

    private static WorkerSetup unchecked(WorkerSetup setup) {
        return setup.withOrderPolicy(OrderPolicy.ALLOW);
    }

    private Expectations broken(Expectations expected) {
        return expected.derivingWaits().deadlocksBrokenWithin(BROKEN_WITHIN);
    }

    /** The classic case: two services nest a character and its equipment in opposite orders. */
    @Test
    void oneOfTwoServicesThatNestInOppositeOrdersIsTheVictim() {
        LockKey character = run.key("character");
        LockKey equipment = run.key("equipment");
        List<Worker> workers = run.start(2, ProcessDeadlockCases::unchecked);

        List<Report> together = both(
                workers,
                nest(character, equipment).inOneRequest(),
                nest(equipment, character).inOneRequest());
        assertThat(together).as("in one request").extracting(Report::outcome).containsOnly(Outcome.DONE);

        int rounds = SOAK ? 50 : 2;
        List<Duration> found = new ArrayList<>();
        for (int tries = 0; found.size() < rounds && tries < 2 * rounds + 5; tries++) {
            List<Report> reports = both(workers, nest(character, equipment), nest(equipment, character));
            if (reports.stream().allMatch(report -> report.outcome() == Outcome.DONE)) {
                // On a busy machine one process may finish before the other has begun. A cycle that is missed ends with
                // a timeout.
                continue;
            }
            assertThat(reports)
                    .as("nested by hand, unchecked")
                    .extracting(Report::outcome)
                    .containsExactlyInAnyOrder(Outcome.DONE, Outcome.DEADLOCK);
            Report victim = reports.get(reports.get(0).outcome() == Outcome.DEADLOCK ? 0 : 1);
            assertThat(victim.detail())
                    .contains(
                            character.name(),
                            equipment.name(),
                            workers.get(0).name(),
                            workers.get(1).name());
            found.add(victim.waited());
        }
        assertThat(found).as("rounds in which they met").hasSize(rounds);
        found.sort(null);
        Duration p99 = found.get((int) Math.ceil(rounds * 0.99) - 1);
        run.assertClean(
                "Deadlock of two processes, " + rounds + " rounds: found after p50 "
                        + found.get(rounds / 2).toMillis() + " ms, p99 " + p99.toMillis() + " ms",
                this::broken);
        // A machine that runs other tests may be slow; the soak runs on an idle one.
        assertThat(p99).as("from the last wait to its end").isLessThan(SOAK ? FOUND_WITHIN : BROKEN_WITHIN);
    }

    private List<Report> both(List<Worker> workers, NestedLocks one, NestedLocks other) {
        CompletableFuture<Report> first = workers.get(0).nestAsync(one);
        CompletableFuture<Report> second = workers.get(1).nestAsync(other);
        return List.of(run.await(workers.get(0), first), run.await(workers.get(1), second));
    }

    @Test
    void nestedByHandTheOrderIsChecked() {
        LockKey character = run.key("character");
        LockKey equipment = run.key("equipment");
        List<Worker> workers = run.start(2);
        List<Report> reports = both(workers, nest(character, equipment), nest(equipment, character));
        assertThat(reports).extracting(Report::outcome).containsExactly(Outcome.DONE, Outcome.ORDER);
        run.assertClean("Order check of two processes", this::broken);
    }

    /**
     * M08. The cycle ends with its killed member. The others wait for its lease to end, and none of them is a victim.
     */
    @Test
    void cycleWhoseMemberIsKilledHasNoVictim() {
        List<LockKey> keys = keys(3);
        List<Worker> workers = run.start(3, ProcessDeadlockCases::unchecked);
        List<CompletableFuture<Report>> nests = startCycle(workers, keys);
        run.pass(LONG_DWELL.plusMillis(500));
        workers.get(0).kill();
        for (int i = 1; i < 3; i++) {
            Report report = run.await(workers.get(i), nests.get(i));
            assertThat(report.outcome()).as(report.detail()).isEqualTo(Outcome.DONE);
        }
        run.assertClean(
                "Deadlock whose member is killed", expected -> broken(expected).injecting("kill"));
    }

    /** M06. A paused member confirms nothing. When it resumes, exactly one wait is ended. */
    @Test
    void cycleWithAPausedMemberIsBrokenWhenItResumes() {
        List<LockKey> keys = keys(3);
        List<Worker> workers = run.start(3, ProcessDeadlockCases::unchecked);
        List<CompletableFuture<Report>> nests = startCycle(workers, keys);
        run.pass(LONG_DWELL.plusMillis(850));
        workers.get(0).pause();
        run.pass(run.lease().dividedBy(3));
        workers.get(0).resume();
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            outcomes.add(run.await(workers.get(i), nests.get(i)).outcome());
        }
        run.assertClean(
                "Deadlock whose member is paused", expected -> broken(expected).injecting("pause"));
        assertThat(outcomes).containsOnlyOnce(Outcome.DEADLOCK);
    }

    /** M07. Only the monitor detects deadlocks. It is killed; the next monitor is elected and breaks the cycle once. */
    @Test
    void monitorThatIsKilledIsReplaced() {
        LockKey a = run.key("a");
        LockKey b = run.key("b");
        List<Worker> workers =
                new ArrayList<>(run.start(3, setup -> unchecked(setup).withDeadlockMonitor()));
        Worker monitor = leaderOf(workers);
        monitor.kill();
        workers.remove(monitor);
        List<Report> reports = both(workers, nest(LONG_DWELL, a, b), nest(LONG_DWELL, b, a));
        run.assertClean(
                "Deadlock whose monitor is killed",
                expected -> expected.derivingWaits()
                        .deadlocksBrokenWithin(MONITOR_BACK_WITHIN)
                        .injecting("kill"));
        assertThat(reports).extracting(Report::outcome).containsExactlyInAnyOrder(Outcome.DONE, Outcome.DEADLOCK);
    }

    private Worker leaderOf(List<Worker> workers) {
        LockKey leadership = LockKey.of("interlock", "deadlock-monitor");
        List<Worker> leading = new ArrayList<>();
        run.until("a monitor was elected", () -> {
            String message = run.describeHolder(leadership);
            workers.stream().filter(worker -> message.contains(worker.name())).forEach(leading::add);
            return !leading.isEmpty();
        });
        return leading.get(0);
    }

    private List<LockKey> keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> run.key("ring-" + i)).toList();
    }

    private List<CompletableFuture<Report>> startCycle(List<Worker> workers, List<LockKey> keys) {
        List<CompletableFuture<Report>> nests = new ArrayList<>();
        for (int i = 0; i < workers.size(); i++) {
            nests.add(workers.get(i).nestAsync(nest(LONG_DWELL, keys.get(i), keys.get((i + 1) % keys.size()))));
        }
        return nests;
    }

    /**
     * Every lasting cycle is broken, and no wait is ended without one; one process is killed and one is paused during
     * the storm.
     */
    @Test
    void stormOfRandomNestsMakesProgress() {
        long seed = Seeds.ofThisRun();
        Duration length = Duration.ofSeconds(SOAK ? 60 : 6);
        List<LockKey> keys = IntStream.range(0, STORM_KEYS)
                .mapToObj(i -> run.key("storm-" + i))
                .toList();
        List<Worker> workers = run.start(STORM_PROCESSES, ProcessDeadlockCases::unchecked);
        NestedLocks like = new NestedLocks(keys, false, run.lease(), PATIENCE, Duration.ofMillis(100));
        List<CompletableFuture<WorkerMessage>> storms = workers.stream()
                .map(worker -> worker.nestStormAsync(like, length, seed))
                .toList();
        run.pass(length.dividedBy(3));
        workers.get(0).kill();
        run.pass(length.dividedBy(6));
        workers.get(1).pause();
        run.pass(run.lease().dividedBy(4));
        workers.get(1).resume();
        int victims = 0;
        int done = 0;
        long longest = 0;
        for (int i = 1; i < STORM_PROCESSES; i++) {
            WorkerMessage ended = run.await(workers.get(i), storms.get(i));
            victims += ended.count(Outcome.DEADLOCK.name());
            done += ended.count(Outcome.DONE.name());
            longest = Math.max(longest, ended.number("longest"));
        }
        run.assertClean(
                "Storm of nests with seed " + seed + ", " + length + ", " + STORM_PROCESSES + " processes: " + done
                        + " nests done, " + victims + " victims, the longest wait of a victim "
                        + Duration.ofNanos(longest).toMillis() + " ms",
                expected -> broken(expected).injecting("kill", "pause"));
        assertThat(done).isPositive();
        if (SOAK) {
            assertThat(victims).as("deadlocks in the storm").isPositive();
        }
    }
}
