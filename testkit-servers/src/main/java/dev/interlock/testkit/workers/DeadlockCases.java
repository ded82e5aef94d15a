package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.OrderPolicy;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.workers.Nest.Outcome;
import dev.interlock.testkit.workers.Nest.Report;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes that nest locks in opposite orders: what each layer makes of it, and that detection ends one of each cycle and nobody else. */
@Tag("deadlock")
abstract class DeadlockCases {
    private static final boolean SOAK = Boolean.getBoolean("interlock.soak");

    /** From when the last one began to wait: a second of patience, and twice the beat to be sure. */
    private static final Duration FOUND_WITHIN = Duration.ofSeconds(2);

    /** What a busy machine may add before a cycle counts as forgotten. */
    private static final Duration BROKEN_WITHIN = Duration.ofSeconds(4);

    /** The lease of the monitor that is gone, and then as long as ever. */
    private static final Duration MONITOR_BACK_WITHIN = BROKEN_WITHIN.plusSeconds(6);

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration DWELL = Duration.ofMillis(250);

    /** So long that all members of a cycle have their first key when the first asks for its second, on a busy machine too. */
    private static final Duration LONG_DWELL = Duration.ofMillis(1500);

    private static final int STORM_PROCESSES = 8;
    private static final int STORM_KEYS = 20;

    private final ProcessCase run;

    DeadlockCases(ProcessCase run) {
        this.run = run;
    }

    private Nest nest(LockKey... keys) {
        return nest(DWELL, keys);
    }

    private Nest nest(Duration dwell, LockKey... keys) {
        return new Nest(List.of(keys), false, run.lease(), PATIENCE, dwell);
    }

    private static WorkerSetup unchecked(WorkerSetup setup) {
        return setup.withOrderPolicy(OrderPolicy.ALLOW);
    }

    private Expectations broken(Expectations expected) {
        return expected.derivingWaits().deadlocksBrokenWithin(BROKEN_WITHIN);
    }

    /** The classic: two services nest a character and its equipment in opposite orders. */
    @Test
    void ofTwoServicesThatNestInOppositeOrdersOneGivesUp() {
        LockKey character = run.key("character");
        LockKey equipment = run.key("equipment");
        List<Worker> workers = run.start(2, DeadlockCases::unchecked);

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
                // On a busy machine one may be through before the other has begun; a cycle that is missed ends as busy.
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
        // A machine that is busy with other tests may be slow; the long run is made on one that is not.
        assertThat(p99).as("from the last wait to its end").isLessThan(SOAK ? FOUND_WITHIN : BROKEN_WITHIN);
    }

    private List<Report> both(List<Worker> workers, Nest one, Nest other) {
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

    /** M08. The cycle is gone with its member; the others wait for its lease to end, and none of them gives up. */
    @Test
    void cycleWhoseMemberIsKilledHasNoVictim() {
        List<LockKey> keys = keys(3);
        List<Worker> workers = run.start(3, DeadlockCases::unchecked);
        List<CompletableFuture<Report>> nests = ring(workers, keys);
        run.pass(LONG_DWELL.plusMillis(500));
        workers.get(0).kill();
        for (int i = 1; i < 3; i++) {
            Report report = run.await(workers.get(i), nests.get(i));
            assertThat(report.outcome()).as(report.detail()).isEqualTo(Outcome.DONE);
        }
        run.assertClean(
                "Deadlock whose member is killed", expected -> broken(expected).injecting("kill"));
    }

    /** M06. One that stands still confirms nothing; when it goes on, one of them gives up and not two. */
    @Test
    void cycleWhoseMemberStandsStillIsEndedOnceItGoesOn() {
        List<LockKey> keys = keys(3);
        List<Worker> workers = run.start(3, DeadlockCases::unchecked);
        List<CompletableFuture<Report>> nests = ring(workers, keys);
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

    /** M07. Nobody searches but the monitor; it is killed, and the next one is elected and ends the cycle, once. */
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
            String told = run.whoHolds(leadership);
            workers.stream().filter(worker -> told.contains(worker.name())).forEach(leading::add);
            return !leading.isEmpty();
        });
        return leading.get(0);
    }

    private List<LockKey> keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> run.key("ring-" + i)).toList();
    }

    private List<CompletableFuture<Report>> ring(List<Worker> workers, List<LockKey> keys) {
        List<CompletableFuture<Report>> nests = new ArrayList<>();
        for (int i = 0; i < workers.size(); i++) {
            nests.add(workers.get(i).nestAsync(nest(LONG_DWELL, keys.get(i), keys.get((i + 1) % keys.size()))));
        }
        return nests;
    }

    /** Every cycle that lasts is broken, nobody gives up without one; one process is killed and one paused meanwhile. */
    @Test
    void stormOfRandomNestsIsKeptGoing() {
        long seed = Seeds.ofThisRun();
        Duration length = Duration.ofSeconds(SOAK ? 60 : 6);
        List<LockKey> keys = IntStream.range(0, STORM_KEYS)
                .mapToObj(i -> run.key("storm-" + i))
                .toList();
        List<Worker> workers = run.start(STORM_PROCESSES, DeadlockCases::unchecked);
        Nest like = new Nest(keys, false, run.lease(), PATIENCE, Duration.ofMillis(100));
        List<CompletableFuture<Message>> storms = workers.stream()
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
            Message ended = run.await(workers.get(i), storms.get(i));
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
