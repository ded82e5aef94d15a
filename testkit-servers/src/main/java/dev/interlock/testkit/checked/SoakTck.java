package dev.interlock.testkit.checked;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.workers.CriticalSection.Point;
import dev.interlock.testkit.workers.Progress;
import dev.interlock.testkit.workers.Worker;
import dev.interlock.testkit.workers.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Worker processes at full speed through proxies, with random kills, pauses and cuts. A backend extends it and returns
 * the {@link FaultTarget} that it wrote for {@link FaultTck}.
 *
 * <p>It is a kit of its own because it keeps every core busy: run it apart from tests that measure time. With the
 * system property {@code interlock.soak} it takes ten times as long; {@code interlock.seed} repeats a run.
 *
 * @since 0.1.0
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
public abstract class SoakTck {
    private static final Duration LOAD_WITHIN = Duration.ofMinutes(1);

    private final long seed = Long.getLong("interlock.seed", 20_261_115);

    /** Returns the store, which may be shared with other tests. */
    protected abstract FaultTarget target();

    /** How much load the store can take. */
    protected SoakLoad load() {
        return SoakLoad.standard();
    }

    /** Prints one line per round. Half of the keys are kept by the unfenced twin, which must show the damage. */
    @Test
    void killsPausesAndCutsUnderFullLoadBreakNothing() {
        SoakLoad load = load();
        long grants = 0;
        long faults = 0;
        long refused = 0;
        long damage = 0;
        long began = System.nanoTime();
        for (int round = 0; round < load.rounds(); round++) {
            Verdict verdict = round(seed + round, load);
            grants += verdict.figure(Figure.GRANTS);
            faults += verdict.figure(Figure.FAULTS_ACTED);
            refused += verdict.figure(Figure.STALE_REFUSED);
            damage += verdict.figure(Figure.CONTROL_STALE_ACCEPTED) + verdict.figure(Figure.CONTROL_LOST_UPDATES);
        }
        System.out.printf(
                "Soak on %s: %,d grants in %d s, %d faults acted, %d stale effects refused, 0 violations; damage at the"
                        + " unfenced twin %d%n",
                target().name(),
                grants,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began),
                faults,
                refused,
                damage);
        assertThat(grants).isGreaterThanOrEqualTo(load.rounds() * load.grants());
        assertThat(damage).as("damage at the unfenced twin, seed %s", seed).isPositive();
    }

    private Verdict round(long roundSeed, SoakLoad load) {
        SplittableRandom random = new SplittableRandom(roundSeed);
        try (FaultRun run = new FaultRun(target(), Framing.raw(), workers -> workers)) {
            Workload workload = workload(run, roundSeed, load);
            List<Worker> alive = new ArrayList<>(run.startWorkers(load.workers()));
            alive.forEach(worker -> worker.run(workload));
            long grantsOfTheDead = 0;
            for (int fault = 0; fault < load.faults() || grants(alive) + grantsOfTheDead < load.grants(); fault++) {
                alive.forEach(worker -> worker.awaitGrants(load.warmUp(), LOAD_WITHIN));
                Worker victim = alive.get(random.nextInt(alive.size()));
                switch (fault % 4) {
                    case 0 ->
                        pauseBeforeWriting(
                                victim, load.keys(), leases(random, load.shortestPause(), load.longestPause()));
                    case 1 -> {
                        grantsOfTheDead += victim.progress().grants();
                        alive.remove(victim);
                        alive.add(replace(run, victim, workload));
                    }
                    case 2 -> run.strike("cut", proxy -> proxy.cut());
                    default -> pause(victim, leases(random, 0.2, 0.5));
                }
            }
            alive.forEach(worker -> worker.awaitGrants(load.warmUp(), LOAD_WITHIN));
            Progress total =
                    alive.stream().map(Worker::rest).reduce(Progress::plus).orElseThrow();
            assertThat(total.errors())
                    .as("undocumented errors, seed %s", roundSeed)
                    .isZero();
            return run.assertClean(
                    "Soak with seed " + roundSeed + ", remaining workers: " + total,
                    expected -> expected.load(load.grantsPerSecond()).injecting("kill", "pause", "cut"));
        }
    }

    private static long grants(List<Worker> workers) {
        return workers.stream().mapToLong(worker -> worker.progress().grants()).sum();
    }

    private static Workload workload(FaultRun run, long seed, SoakLoad load) {
        List<String> keys = IntStream.range(0, load.keys())
                .mapToObj(Integer::toString)
                .flatMap(i -> Stream.of(run.key("soak-" + i), run.unfencedKey("soak-" + i)))
                .map(LockKey::name)
                .toList();
        return new Workload(load.threads(), keys, LEASE, LEASE, load.pause(), true, false, seed);
    }

    /**
     * Pauses a worker at the worst moment: after the check, before the write. One more section than there are fenced
     * keys stops there, so that at least one holds a key of the unfenced twin. Other workers acquire these keys during
     * the pause; then the worker writes.
     */
    private static void pauseBeforeWriting(Worker victim, int keys, Duration length) {
        victim.stopAt(Point.CHECKED);
        victim.awaitReached(Point.CHECKED, keys + 1);
        victim.pause();
        victim.proceed(Point.CHECKED);
        CheckedRun.pass(length);
        victim.resume();
    }

    private static void pause(Worker victim, Duration length) {
        victim.pause();
        CheckedRun.pass(length);
        victim.resume();
    }

    private static Worker replace(FaultRun run, Worker victim, Workload workload) {
        victim.kill();
        Worker other = run.startWorkers(1).get(0);
        other.run(workload);
        return other;
    }

    private static Duration leases(SplittableRandom random, double from, double to) {
        return Duration.ofNanos((long) (LEASE.toNanos() * random.nextDouble(from, to)));
    }
}
