package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class SuiteRunnerTest {
    private static final Contender OURS = ScriptedWorkload.ours();
    private static final Contender STRICT = ScriptedWorkload.strict();
    private static final Contender FLOOR = ScriptedWorkload.floor();
    private static final Contender PEER = ScriptedWorkload.peer("peer");
    private static final Contender OTHER_PEER = ScriptedWorkload.peer("other_peer");

    @Test
    void contendersWarmUpEquallyOftenAndInTurn() throws InterruptedException {
        ScriptedWorkload workload = new ScriptedWorkload(
                List.of(OURS, FLOOR, PEER), List.of(List.of(1, 1, 1), List.of(1, 1, 1), List.of(1, 1, 1)));

        SuiteResult result = run(workload, new Schedule(2, 1, Duration.ofMillis(1)));

        assertThat(String.join(" ", workload.turns))
                .isEqualTo("interlock floor peer interlock floor peer interlock floor peer");
        assertThat(result.workloads().get(0).rounds("floor", Metric.OPS)).hasSize(1);
    }

    @Test
    void busyCompilerDoublesTheWarmUpOfAllContenders() throws InterruptedException {
        ScriptedWorkload workload =
                new ScriptedWorkload(List.of(OURS, FLOOR), List.of(List.of(1, 1, 1), List.of(1, 1, 1)));
        AtomicLong compiledMillis = new AtomicLong();

        new SuiteRunner(
                        new Schedule(1, 1, Duration.ofMillis(1)),
                        BenchProgress.SILENT,
                        () -> workload.turns.size() % 2 == 0 ? compiledMillis.get() : compiledMillis.incrementAndGet(),
                        () -> CpuSteal.UNKNOWN)
                .run(new Suite("suite", List.of(workload), List.of(), List.of()));

        assertThat(String.join(" ", workload.turns)).isEqualTo("interlock floor interlock floor interlock floor");
    }

    @Test
    void operationsAreTheMeanOfAllRounds() throws InterruptedException {
        // One round in which a contender had the computer to itself would be the median, or would be hidden by it.
        SuiteResult result = run(
                new ScriptedWorkload(List.of(OURS, FLOOR), List.of(List.of(10, 100, 10), List.of(20, 200, 20))),
                rounds(3));

        assertThat(result.workloads().get(0).summary("floor", Metric.OPS)).isEqualTo(80);
        assertThat(lines(result)).containsExactly("RATIO suite.task.ops.vs_floor 0.5");
        assertThat(result.verdicts()).singleElement().satisfies(verdict -> {
            assertThat(verdict.met()).isTrue();
            assertThat(verdict.goal().sentence()).isEqualTo("task: interlock ops/s >= 0.5 x floor");
        });
    }

    @Test
    void bestPeerHasTheBestValue() throws InterruptedException {
        SuiteResult result = run(
                new ScriptedWorkload(
                        List.of(OURS, FLOOR, PEER, OTHER_PEER),
                        List.of(List.of(60, 60, 60), List.of(99, 99, 99), List.of(10, 20, 30), List.of(10, 10, 10))),
                rounds(3));

        assertThat(lines(result))
                .contains(
                        "RATIO suite.task.ops.vs_peer 3",
                        "RATIO suite.task.ops.vs_other_peer 6",
                        "RATIO suite.task.ops.vs_best_peer 3");
        assertThat(Goal.ratioAtLeast("task", "interlock", Metric.OPS, WorkloadResult.BEST_PEER, 3)
                        .check(result.workloads().get(0))
                        .met())
                .isTrue();
        assertThat(text(result)).contains("x floor  x peer").doesNotContain("x other_peer");
    }

    @Test
    void bestPeerOfATimeHasTheShortestOne() {
        assertThat(Metric.P50.isBetter(1, 2)).isTrue();
        assertThat(Metric.OPS.isBetter(1, 2)).isFalse();
    }

    @Test
    void contenderThatCannotBeOpenedIsReported() throws InterruptedException {
        Contender closed = Contender.peer("closed", ScriptedWorkload.ours().opener());
        SuiteResult result = run(
                new ThreadedWorkload(
                        "task",
                        "a task",
                        List.of(closed),
                        List.of(Metric.OPS),
                        1,
                        LockSelection.hot(),
                        BenchPace.CONTENDED,
                        Duration.ZERO),
                rounds(1));

        assertThat(text(result)).contains("closed FAILED: it could not be opened: java.lang.IllegalStateException");
    }

    @Test
    void variantOfInterlockIsNamedInTheWorkload() throws InterruptedException {
        SuiteResult result = run(
                new ScriptedWorkload(List.of(OURS, STRICT, FLOOR), List.of(List.of(4), List.of(2), List.of(1))),
                rounds(1));

        assertThat(lines(result))
                .containsExactly("RATIO suite.task.ops.vs_floor 4", "RATIO suite.task_strict.ops.vs_floor 2");
    }

    @Test
    void failedContenderIsReportedAndStops() throws InterruptedException {
        ScriptedWorkload workload =
                new ScriptedWorkload(List.of(OURS, FLOOR), List.of(List.of(1, -1), List.of(1, 1, 1)));
        SuiteResult result = run(workload, rounds(3));

        assertThat(workload.turns).containsExactly("interlock", "floor", "interlock", "floor", "floor");
        assertThat(result.isSound()).isFalse();
        assertThat(result.verdicts()).noneMatch(Goal.Verdict::met);
        assertThat(text(result)).contains("interlock FAILED: gave up: java.lang.IllegalStateException: tired");
        assertThat(json(result)).contains("\"failed\":\"gave up");
    }

    @Test
    void unexpectedExceptionLosesNoOtherValues() throws InterruptedException {
        ScriptedWorkload workload =
                new ScriptedWorkload(List.of(OURS, PEER, FLOOR), List.of(List.of(1, 2), List.of(1, -2), List.of(1, 2)));
        SuiteResult result = run(workload, rounds(2));

        assertThat(workload.turns).hasSize(6);
        assertThat(workload.closed).containsExactly("interlock", "peer", "floor");
        assertThat(result.workloads().get(0).rounds("floor", Metric.OPS)).containsExactly(1, 2);
        assertThat(text(result)).contains("peer FAILED: java.lang.IllegalStateException: unexpected");
    }

    @Test
    void contenderThatCannotBeClosedIsReportedAndTheOthersAreClosed() throws InterruptedException {
        Contender clinging = ScriptedWorkload.peer(ScriptedWorkload.UNCLOSABLE);
        ScriptedWorkload workload = new ScriptedWorkload(List.of(clinging, OURS), List.of(List.of(1), List.of(1)));
        SuiteResult result = run(workload, rounds(1));

        assertThat(workload.closed).containsExactly("unclosable", "interlock");
        assertThat(text(result)).contains("unclosable FAILED: it could not be closed", "cannot be closed");
        assertThat(result.isSound()).isTrue();
    }

    @Test
    void infiniteShareIsNotWrittenAsNull() {
        UnrunWorkload workload = new UnrunWorkload("task", "", List.of(OURS, FLOOR), List.of(Metric.SHARE));
        WorkloadResult starved = workload.result(Double.POSITIVE_INFINITY, Double.NaN);
        SuiteResult result = new SuiteResult(
                new Suite("suite", List.of(workload), List.of(), List.of()), rounds(1), List.of(starved));

        assertThat(json(result))
                .contains("\"interlock\":{\"share\":{\"summary\":\"inf\",\"rounds\":[\"inf\"]}}")
                .contains("\"floor\":{\"share\":{\"summary\":null,\"rounds\":[null]}}");
    }

    @Test
    void ratioIgnoresRoundsThatOneContenderDidNotMeasure() {
        UnrunWorkload workload = new UnrunWorkload("task", "", List.of(OURS, FLOOR), List.of(Metric.P50));
        WorkloadResult result = workload.result();
        for (double ours : new double[] {4, Double.NaN, Double.NaN}) {
            result.add(OURS, new Sample(Map.of(Metric.P50, ours)));
            result.add(FLOOR, new Sample(Map.of(Metric.P50, 2.0)));
        }

        assertThat(result.ratio(Metric.P50, "interlock", "floor").median()).isEqualTo(2);
        assertThat(result.summary("interlock", Metric.P50)).isEqualTo(4);
    }

    @Test
    void scalingRunReportsLostUpdatesOfPeers() {
        UnrunWorkload small =
                new UnrunWorkload("hot_1", "", List.of(OURS, PEER), List.of(Metric.OPS, Metric.LOST_UPDATES));
        UnrunWorkload large =
                new UnrunWorkload("hot_2", "", List.of(OURS, PEER), List.of(Metric.OPS, Metric.LOST_UPDATES));
        List<WorkloadResult> steps = List.of(small.result(), large.result());
        for (WorkloadResult step : steps) {
            step.add(OURS, new Sample(Map.of(Metric.OPS, 8.0, Metric.LOST_UPDATES, 0.0)));
            step.add(PEER, new Sample(Map.of(Metric.OPS, 9.0, Metric.LOST_UPDATES, 3.0)));
        }
        ScalingRun scalingRun = new ScalingRun(
                "hot", "", "threads", List.of(new ScalingRun.Step(1, small), new ScalingRun.Step(2, large)));

        assertThat(text(new SuiteResult(
                                new Suite("suite", List.of(), List.of(scalingRun), List.of()), rounds(1), steps))
                        .lines())
                .contains(
                        "             1  2  last / first  lost updates",
                        "  interlock  8  8             1             0",
                        "  peer       9  9             1             6");
    }

    @Test
    void oneLostUpdateMakesTheResultUnsound() throws InterruptedException {
        SuiteResult result = run(new ScriptedWorkload(List.of(OURS), List.of(List.of(1, 13, 1, 1, 1))), rounds(5));

        assertThat(result.isSound()).isFalse();
    }

    @Test
    void textAndJsonReportsContainTheResult() throws InterruptedException {
        SuiteResult result =
                run(new ScriptedWorkload(List.of(OURS, FLOOR), List.of(List.of(3000), List.of(6000))), rounds(1));

        assertThat(text(result).lines())
                .contains(
                        "  interlock  3,000             0  0.5 (0.5-0.5)",
                        "task: a \"task\"",
                        "  met     task: interlock ops/s >= 0.5 x floor  0.5",
                        "RATIO suite.task.ops.vs_floor 0.5",
                        "VALUE suite.task.lost_updates 0");
        assertThat(text(result)).matches("[\\x20-\\x7e\\r\\n]*");
        assertThat(json(result))
                .startsWith("{\"suite\":\"suite\",\"at\":\"2026-01-02T03:04:05Z\","
                        + "\"command\":\"./interlock bench redis --html FILE\","
                        + "\"server\":\"Redis 7.0.15\",\"java\":\"OpenJDK 17\",\"system\":\"Linux amd64\","
                        + "\"processors\":2,")
                .contains(
                        "\"title\":\"a \\\"task\\\"\"",
                        "\"floor\":{\"ops\":{\"summary\":6000.0,\"rounds\":[6000.0]}",
                        "\"ratios\":{\"suite.task.ops.vs_floor\":0.5}",
                        "\"met\":true");
    }

    @Test
    void turnWithCpuStealIsLeftOutAndReported() throws InterruptedException {
        // Idle and stolen time, read before and after each turn. Half of the time of the second turn is stolen.
        Iterator<String> host = List.of("100 0", "200 0", "200 0", "250 50", "250 50", "350 50").stream()
                .map(times -> times.replace(" ", " 0 0 0 "))
                .iterator();
        SuiteResult result = new SuiteRunner(
                        rounds(3), BenchProgress.SILENT, () -> 0, () -> CpuSteal.of("cpu  0 0 0 " + host.next()))
                .run(new Suite(
                        "suite",
                        List.of(new ScriptedWorkload(List.of(OURS), List.of(List.of(8, 1, 10)))),
                        List.of(),
                        List.of()));

        assertThat(result.workloads().get(0).summary("interlock", Metric.OPS)).isEqualTo(9);
        assertThat(text(result)).contains("withheld 17 % of the processor time");
        assertThat(json(result)).contains("\"stolen\":{\"summary\":0.0,\"rounds\":[0.0,0.5,0.0]}");
    }

    @Test
    void timeLimitIsUsedForMoreRounds() throws InterruptedException {
        ScriptedWorkload first = endless();
        ScriptedWorkload second = endless();
        Duration total = Duration.ofMillis(400);
        long began = System.nanoTime();
        new SuiteRunner(rounds(2).within(total), BenchProgress.SILENT, () -> 0, () -> CpuSteal.UNKNOWN)
                .run(new Suite("suite", List.of(first, ScheduledWorkload.withShare(3, second)), List.of(), List.of()));

        assertThat(first.turns).hasSizeGreaterThan(2);
        assertThat(second.turns).hasSizeGreaterThan(first.turns.size());
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(total.multipliedBy(3));
    }

    @Test
    void withoutTimeLeftTheScheduledRoundsRun() throws InterruptedException {
        ScriptedWorkload workload = endless();
        new SuiteRunner(rounds(2).within(Duration.ZERO), BenchProgress.SILENT, () -> 0, () -> CpuSteal.UNKNOWN)
                .run(new Suite("suite", List.of(workload), List.of(), List.of()));

        assertThat(workload.turns).hasSize(2);
    }

    /** One contender whose turns take a millisecond each. */
    private static ScriptedWorkload endless() {
        return new ScriptedWorkload(List.of(OURS), List.of(Collections.nCopies(10_000, 1))) {
            @Override
            void pass() {
                LockSupport.parkNanos(1_000_000);
            }
        };
    }

    private static List<String> lines(SuiteResult result) {
        return result.ratios().stream().map(SuiteResult.Ratio::line).toList();
    }

    private static Schedule rounds(int rounds) {
        return new Schedule(0, rounds, Duration.ofMillis(1));
    }

    private static SuiteResult run(BenchWorkload workload, Schedule schedule) throws InterruptedException {
        Goal goal = Goal.ratioAtLeast("task", "interlock", Metric.OPS, "floor", 0.5);
        return new SuiteRunner(schedule, BenchProgress.SILENT, () -> 0, () -> CpuSteal.UNKNOWN)
                .run(new Suite("suite", List.of(workload), List.of(), List.of(goal)));
    }

    private static String json(SuiteResult result) {
        return JsonReport.of(result, SampleReport.FACTS);
    }

    private static String text(SuiteResult result) {
        StringWriter text = new StringWriter();
        new TextReport(new PrintWriter(text)).write(result);
        return text.toString();
    }
}
