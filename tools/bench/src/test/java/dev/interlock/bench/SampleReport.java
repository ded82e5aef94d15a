package dev.interlock.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Invented results that look like a run of the suite redis, to view a page without a run. */
final class SampleReport {
    static final RunDescription FACTS = new RunDescription(
            Instant.parse("2026-01-02T03:04:05Z"),
            "./interlock bench redis --html FILE",
            "Redis 7.0.15",
            "OpenJDK 17",
            "Linux amd64",
            2);
    static final String REASON = "it gave up: io.lettuce.core.RedisException: ERR <unknown> command 'x' & \"y\"";

    private static final List<Contender> CONTENDERS = List.of(
            ScriptedWorkload.ours(),
            ScriptedWorkload.strict(),
            Contender.floor("raw_fenced", ScriptedWorkload.ours().opener()),
            Contender.floor("raw", ScriptedWorkload.ours().opener()),
            ScriptedWorkload.peer("redisson"),
            ScriptedWorkload.peer("redisson_fenced"),
            ScriptedWorkload.peer("redisson_fair"),
            ScriptedWorkload.peer("spring_pubsub"),
            ScriptedWorkload.peer("shedlock"));
    private static final double[] SPEEDS = {21, 18, 19.5, 22, 9.1, 8.8, 5.2, 7.4, .9};
    private static final double[] SLOPES = {-.05, -.12, -.06, -.04, -.3, -.32, -.75, -.45, -.9};
    private static final List<Metric> METRICS =
            List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.P999, Metric.SHARE, Metric.CALLS, Metric.LOST_UPDATES);

    private final Random random = new Random(7);
    private final List<WorkloadResult> results = new ArrayList<>();

    private SampleReport() {}

    /** Writes the page to the given file. */
    public static void main(String[] args) throws IOException {
        Files.writeString(Path.of(args[0]), HtmlReport.of(result(), FACTS));
    }

    static SuiteResult result() {
        return new SampleReport().make();
    }

    private SuiteResult make() {
        List<BenchWorkload> workloads = List.of(
                plain("free_8t", "8 threads, each with its own uncontended lock", 1),
                plain("hot_1p32t", "one lock passed between 32 threads of one process", .2),
                plain("handoff_2p", "one lock passed back and forth between 2 processes", .04));
        List<ScalingRun> scalingRuns = List.of(
                scalingRun(
                        "keys",
                        "8 threads acquire uncontended locks out of many",
                        "locks",
                        100,
                        1_000,
                        10_000,
                        100_000,
                        1_000_000),
                scalingRun(
                        "waiters",
                        "one lock passed between many threads of one process",
                        "threads",
                        10,
                        100,
                        1_000,
                        10_000),
                scalingRun("holding", "many locks held at the same time", "locks", 100, 1_000, 10_000, 100_000),
                scalingRun(
                        "processes", "one lock passed between processes with 8 threads each", "processes", 1, 2, 4, 8));
        results.get(1).failed(CONTENDERS.get(6), REASON);
        failInScalingRuns();
        return new SuiteResult(new Suite("redis", workloads, scalingRuns, goals()), Schedule.FULL, results);
    }

    private void failInScalingRuns() {
        for (WorkloadResult result : results) {
            switch (result.workload().name()) {
                case "waiters_1000", "keys_10000" -> result.failed(CONTENDERS.get(5), REASON);
                case "waiters_10000" -> List.of(6, 8).forEach(i -> result.failed(CONTENDERS.get(i), REASON));
                default -> {}
            }
        }
    }

    private static List<Goal> goals() {
        return List.of(
                Goal.ratioAtLeast("free_8t", "interlock", Metric.OPS, "raw_fenced", .9),
                Goal.ratioAtLeast("hot_1p32t", "interlock", Metric.OPS, WorkloadResult.BEST_PEER, 3),
                Goal.ratioAtMost("hot_1p32t", "interlock", Metric.P99, "raw", .5),
                Goal.atMost("hot_1p32t", "interlock", Metric.LOST_UPDATES, 0),
                Goal.ratioAtLeast("hot_1p32t", "interlock", Metric.OPS, "redisson_fair", 1));
    }

    private BenchWorkload plain(String name, String title, double ease) {
        UnrunWorkload workload = new UnrunWorkload(name, title, CONTENDERS, METRICS);
        results.add(measure(
                workload,
                9,
                IntStream.range(0, SPEEDS.length)
                        .mapToDouble(i -> SPEEDS[i] * 1000 * ease)
                        .toArray()));
        return workload;
    }

    private ScalingRun scalingRun(String name, String title, String axis, int... sizes) {
        List<ScalingRun.Step> steps = new ArrayList<>();
        for (int size : sizes) {
            UnrunWorkload workload = new UnrunWorkload(name + '_' + size, title, CONTENDERS, METRICS);
            results.add(measure(
                    workload,
                    3,
                    IntStream.range(0, SPEEDS.length)
                            .mapToDouble(i -> SPEEDS[i] * 1000 * Math.pow(size, SLOPES[i]))
                            .toArray()));
            steps.add(new ScalingRun.Step(size, workload));
        }
        return new ScalingRun(name, title, axis, steps);
    }

    private WorkloadResult measure(UnrunWorkload workload, int rounds, double... speeds) {
        WorkloadResult result = workload.result();
        for (int i = 0; i < speeds.length; i++) {
            for (int round = 0; round < rounds; round++) {
                result.add(CONTENDERS.get(i), sample(speeds[i] * (.85 + .3 * random.nextDouble()), i));
            }
        }
        return result;
    }

    private Sample sample(double ops, int contender) {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.OPS, ops);
        figures.put(Metric.P50, 8000 / ops);
        figures.put(Metric.P99, 8000 / ops * (2 + random.nextDouble()));
        figures.put(Metric.P999, contender == 8 ? Double.NaN : 8000 / ops * (6 + 3 * random.nextDouble()));
        figures.put(Metric.SHARE, contender == 7 ? Double.POSITIVE_INFINITY : 1 + random.nextDouble());
        figures.put(Metric.CALLS, 2 + Math.floor(contender / 3.0));
        figures.put(Metric.LOST_UPDATES, 0.0);
        return new Sample(figures);
    }
}
