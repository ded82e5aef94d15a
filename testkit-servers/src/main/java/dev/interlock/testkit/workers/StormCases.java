package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many workers under load are killed, replaced and paused repeatedly. */
@Tag("storm")
abstract class StormCases {
    private static final int WORKERS = 4;
    private static final int THREADS = 10;
    private static final int KEYS = 10;

    /** The rate below which a run is void. */
    private static final int GRANTS_PER_SECOND = 10;

    private static final int WARM = 25;
    private static final Duration LOAD_WITHIN = Duration.ofSeconds(30);

    /** Long compared with the rest of a section, so that most faults hit workers that hold a lock. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final ProcessCase run;

    StormCases(ProcessCase run) {
        this.run = run;
    }

    /** Half of the keys are kept by the unfenced twin, under the same faults: it must show the damage. */
    @Test
    void killsAndPausesUnderLoadBreakNothing() {
        long seed = Seeds.ofThisRun();
        SplittableRandom random = new SplittableRandom(seed);
        int faults = run.kit().stormFaults();
        Workload workload = workload(seed);
        List<Worker> alive = new ArrayList<>(run.start(WORKERS));
        alive.forEach(worker -> worker.run(workload));
        for (int i = 0; i < faults; i++) {
            alive.forEach(StormCases::awaitLoad);
            fault(i, alive, workload, random);
        }
        alive.forEach(StormCases::awaitLoad);
        Progress total = alive.stream().map(Worker::rest).reduce(Progress.none(), Progress::plus);

        Verdict verdict = run.assertClean(
                "Storm with seed " + seed + ", " + faults + " faults; remaining workers: " + total,
                expected -> expected.load(GRANTS_PER_SECOND).injecting("kill", "pause"));
        assertThat(verdict.figure(Figure.CONTROL_STALE_ACCEPTED))
                .as("stale writes at the unfenced twin, seed %s", seed)
                .isPositive();
    }

    private Workload workload(long seed) {
        List<String> keys = IntStream.range(0, KEYS)
                .mapToObj(Integer::toString)
                .flatMap(i -> Stream.of(run.key("storm-" + i), run.unfencedKey("storm-" + i)))
                .map(LockKey::name)
                .toList();
        return new Workload(THREADS, keys, run.lease(), run.lease(), PAUSE, true, false, seed);
    }

    /**
     * In turn: a pause longer than the lease, a kill, and a pause shorter than the lease. Two workers are hit at a
     * time.
     */
    private void fault(int index, List<Worker> alive, Workload workload, SplittableRandom random) {
        List<Worker> victims =
                List.of(alive.remove(random.nextInt(alive.size())), alive.remove(random.nextInt(alive.size())));
        switch (index % 3) {
            case 0 -> alive.addAll(paused(victims, lease(random, 1.2, 1.6)));
            case 1 -> alive.addAll(killed(victims, workload));
            default -> alive.addAll(paused(victims, lease(random, 0.2, 0.5)));
        }
    }

    private List<Worker> paused(List<Worker> victims, Duration length) {
        victims.forEach(Worker::pause);
        run.pass(length);
        victims.forEach(Worker::resume);
        return victims;
    }

    private List<Worker> killed(List<Worker> victims, Workload workload) {
        victims.forEach(Worker::kill);
        List<Worker> others = run.workers().startMore(victims.size());
        others.forEach(worker -> worker.run(workload));
        return others;
    }

    private Duration lease(SplittableRandom random, double from, double to) {
        return Duration.ofNanos((long) (run.lease().toNanos() * random.nextDouble(from, to)));
    }

    private static void awaitLoad(Worker worker) {
        worker.awaitGrants(WARM, LOAD_WITHIN);
    }
}
