package dev.interlock.jdbc;

import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.workers.Progress;
import dev.interlock.testkit.workers.Section.Point;
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
 * Two worker processes at full speed through one proxy, with random kills, pauses and cuts: one round of each, and ten under {@code
 * -Psoak}. Each round has processes, keys and a verdict of its own.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
abstract class SoakCases {
    private static final int WORKERS = 2;
    private static final int THREADS = 4;
    private static final int KEYS = 2;
    private static final int SOAK_ROUNDS = 10;

    /** A fault proves nothing on workers that do not work. */
    private static final int WARM = 8;

    /** That each of them works before every fault is what is waited for; the rate is only a guard, since it is the machine's. */
    private static final int GRANTS_PER_SECOND = 1;

    private static final Duration LOAD_WITHIN = Duration.ofMinutes(1);

    private final FaultDatabase database;
    private final long seed = Long.getLong("interlock.seed", 20_261_115);

    SoakCases(FaultDatabase database) {
        this.database = database;
    }

    /** One line per round; half of the keys are kept by the unfenced twin, which must show the damage. */
    @Test
    void killsPausesAndCutsUnderFullLoadBreakNothing() throws Exception {
        int rounds = Boolean.getBoolean("interlock.soak") ? SOAK_ROUNDS : SOAK_ROUNDS / 10;
        long grants = 0;
        long faults = 0;
        long refused = 0;
        long damage = 0;
        long began = System.nanoTime();
        for (int round = 0; round < rounds; round++) {
            Verdict verdict = round(seed + round, rounds == 1 ? 4 : 24);
            grants += verdict.figure(Figure.GRANTS);
            faults += verdict.figure(Figure.FAULTS_ACTED);
            refused += verdict.figure(Figure.STALE_REFUSED);
            damage += verdict.figure(Figure.CONTROL_STALE_ACCEPTED) + verdict.figure(Figure.CONTROL_LOST_UPDATES);
        }
        System.out.printf(
                "Soak on %s: %,d grants in %d s, %d faults acted, %d stale effects refused, 0 violations; damage at the"
                        + " unfenced twin %d%n",
                database.dialect(),
                grants,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began),
                faults,
                refused,
                damage);
        assertThat(damage).as("damage at the unfenced twin, seed %s", seed).isPositive();
    }

    private Verdict round(long roundSeed, int faults) throws Exception {
        SplittableRandom random = new SplittableRandom(roundSeed);
        try (FaultRun run = new FaultRun(database, Framing.raw())) {
            Workload workload = workload(run, roundSeed);
            List<Worker> alive = new ArrayList<>(run.startWorkers(WORKERS));
            alive.forEach(worker -> worker.run(workload));
            for (int fault = 0; fault < faults; fault++) {
                alive.forEach(worker -> worker.awaitGrants(WARM, LOAD_WITHIN));
                Worker victim = alive.get(random.nextInt(alive.size()));
                switch (fault % 4) {
                    case 0 -> pausedBeforeWriting(victim, lease(random, 1.4, 1.7));
                    case 1 -> {
                        alive.remove(victim);
                        alive.add(replaced(run, victim, workload));
                    }
                    case 2 -> run.strike("cut", () -> run.proxy().cut());
                    default -> paused(victim, lease(random, 0.2, 0.5));
                }
            }
            alive.forEach(worker -> worker.awaitGrants(WARM, LOAD_WITHIN));
            Progress total =
                    alive.stream().map(Worker::rest).reduce(Progress::plus).orElseThrow();
            assertThat(total.errors())
                    .as("undocumented errors, seed %s", roundSeed)
                    .isZero();
            return run.assertClean(
                    "Soak with seed " + roundSeed + ", workers that were left: " + total,
                    expected -> expected.load(GRANTS_PER_SECOND).injecting("kill", "pause", "cut"));
        }
    }

    private static Workload workload(FaultRun run, long seed) {
        List<String> keys = IntStream.range(0, KEYS)
                .mapToObj(Integer::toString)
                .flatMap(i -> Stream.of(run.key("soak-" + i), run.unfencedKey("soak-" + i)))
                .map(LockKey::name)
                .toList();
        return new Workload(THREADS, keys, LEASE, LEASE, Duration.ofMillis(5), true, false, seed);
    }

    /**
     * The worst moment: after the check, before the write. So many sections stop there that some hold keys of the unfenced twin; while
     * the worker stands still others take these keys over, and then it writes.
     */
    private static void pausedBeforeWriting(Worker victim, Duration length) {
        victim.stopAt(Point.CHECKED);
        victim.awaitReached(Point.CHECKED, KEYS + 1);
        victim.pause();
        victim.proceed(Point.CHECKED);
        JudgedRun.pass(length);
        victim.resume();
    }

    private static void paused(Worker victim, Duration length) {
        victim.pause();
        JudgedRun.pass(length);
        victim.resume();
    }

    private static Worker replaced(FaultRun run, Worker victim, Workload workload) {
        victim.kill();
        Worker other = run.startWorkers(1).get(0);
        other.run(workload);
        return other;
    }

    private static Duration lease(SplittableRandom random, double from, double to) {
        return Duration.ofNanos((long) (LEASE.toNanos() * random.nextDouble(from, to)));
    }
}
