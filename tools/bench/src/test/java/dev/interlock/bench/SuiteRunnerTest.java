package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SuiteRunnerTest {
    private static final Contender OURS = ScriptedWorkload.ours();
    private static final Contender STRICT = ScriptedWorkload.strict();
    private static final Contender FLOOR = ScriptedWorkload.floor();
    private static final Contender PEER = ScriptedWorkload.peer("peer");
    private static final Contender OTHER_PEER = ScriptedWorkload.peer("other_peer");

    @Test
    void contendersTakeTurnsAndOursWarmsUpLonger() throws InterruptedException {
        ScriptedWorkload workload =
                new ScriptedWorkload(List.of(OURS, FLOOR), List.of(List.of(1, 1, 10, 20, 30), List.of(1, 10, 10, 10)));

        run(workload, new Schedule(2, 3, Duration.ofMillis(1)));

        assertThat(String.join(" ", workload.turns))
                .isEqualTo("interlock interlock floor interlock floor interlock floor interlock floor");
    }

    @Test
    void ratiosAreTakenWithinARound() throws InterruptedException {
        // The computer is ten times as fast in the second round: a ratio over medians would say something else.
        SuiteResult result = run(
                new ScriptedWorkload(List.of(OURS, FLOOR), List.of(List.of(10, 100, 12), List.of(20, 200, 12))),
                rounds(3));

        assertThat(result.ratios()).containsExactly(new SuiteResult.Ratio("suite.task.ops.vs_floor", 0.5));
        assertThat(result.verdicts()).singleElement().satisfies(verdict -> {
            assertThat(verdict.met()).isTrue();
            assertThat(verdict.goal().sentence()).isEqualTo("task: interlock ops/s >= 0.5 x floor");
        });
    }

    @Test
    void peersWarmUpAsLongAsOurs() throws InterruptedException {
        ScriptedWorkload workload = new ScriptedWorkload(
                List.of(OURS, FLOOR, PEER), List.of(List.of(1, 1, 1), List.of(1, 1), List.of(1, 1, 1)));

        run(workload, new Schedule(2, 1, Duration.ofMillis(1)));

        assertThat(String.join(" ", workload.turns))
                .isEqualTo("interlock interlock floor peer peer interlock floor peer");
    }

    @Test
    void bestPeerIsTheOneWithTheBestMedian() throws InterruptedException {
        SuiteResult result = run(
                new ScriptedWorkload(
                        List.of(OURS, FLOOR, PEER, OTHER_PEER),
                        List.of(List.of(60, 60, 60), List.of(99, 99, 99), List.of(1, 20, 20), List.of(10, 10, 90))),
                rounds(3));

        assertThat(result.ratios())
                .contains(
                        new SuiteResult.Ratio("suite.task.ops.vs_peer", 3),
                        new SuiteResult.Ratio("suite.task.ops.vs_other_peer", 6),
                        new SuiteResult.Ratio("suite.task.ops.vs_best_peer", 3));
        assertThat(Goal.ratioAtLeast("task", "interlock", Metric.OPS, WorkloadResult.BEST_PEER, 3)
                        .judge(result.workloads().get(0))
                        .met())
                .isTrue();
        assertThat(text(result)).contains("x floor  x peer").doesNotContain("x other_peer");
    }

    @Test
    void bestPeerOfATimeIsTheOneWithTheShortest() {
        assertThat(Metric.P50.isBetter(1, 2)).isTrue();
        assertThat(Metric.OPS.isBetter(1, 2)).isFalse();
    }

    @Test
    void contenderThatCannotBeOpenedIsReported() throws InterruptedException {
        Contender closed = Contender.peer("closed", ScriptedWorkload.ours().opener());
        SuiteResult result = run(
                new ThreadedWorkload(
                        "task", "a task", List.of(closed), List.of(Metric.OPS), 1, Reach.hot(), Pace.CONTENDED),
                rounds(1));

        assertThat(text(result)).contains("closed FAILED: it could not be opened: java.lang.IllegalStateException");
    }

    @Test
    void anotherSettingOfOursIsNamedInTheWorkload() throws InterruptedException {
        SuiteResult result = run(
                new ScriptedWorkload(List.of(OURS, STRICT, FLOOR), List.of(List.of(4), List.of(2), List.of(1))),
                rounds(1));

        assertThat(result.ratios())
                .containsExactly(
                        new SuiteResult.Ratio("suite.task.ops.vs_floor", 4),
                        new SuiteResult.Ratio("suite.task_strict.ops.vs_floor", 2));
    }

    @Test
    void contenderThatFailsIsOutButReported() throws InterruptedException {
        ScriptedWorkload workload =
                new ScriptedWorkload(List.of(OURS, FLOOR), List.of(List.of(1, -1), List.of(1, 1, 1)));
        SuiteResult result = run(workload, rounds(3));

        assertThat(workload.turns).containsExactly("interlock", "floor", "interlock", "floor", "floor");
        assertThat(result.isSound()).isFalse();
        assertThat(result.verdicts()).noneMatch(Goal.Verdict::met);
        assertThat(text(result)).contains("interlock FAILED: gave up: java.lang.IllegalStateException: tired");
        assertThat(JsonReport.of(result)).contains("\"failed\":\"gave up");
    }

    @Test
    void oneLostUpdateInOneRoundIsNotSound() throws InterruptedException {
        SuiteResult result = run(new ScriptedWorkload(List.of(OURS), List.of(List.of(1, 13, 1, 1, 1))), rounds(5));

        assertThat(result.isSound()).isFalse();
    }

    @Test
    void reportsAreReadableByPeopleAndByScripts() throws InterruptedException {
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
        assertThat(JsonReport.of(result))
                .contains(
                        "\"title\":\"a \\\"task\\\"\"",
                        "\"floor\":{\"ops\":{\"summary\":6000.0,\"rounds\":[6000.0]}",
                        "\"ratios\":{\"suite.task.ops.vs_floor\":0.5}",
                        "\"met\":true");
    }

    private static Schedule rounds(int rounds) {
        return new Schedule(0, rounds, Duration.ofMillis(1));
    }

    private static SuiteResult run(Workload workload, Schedule schedule) throws InterruptedException {
        Goal goal = Goal.ratioAtLeast("task", "interlock", Metric.OPS, "floor", 0.5);
        return new SuiteRunner(schedule, Progress.SILENT)
                .run(new Suite("suite", List.of(workload), List.of(), List.of(goal)));
    }

    private static String text(SuiteResult result) {
        StringWriter text = new StringWriter();
        new TextReport(new PrintWriter(text)).write(result);
        return text.toString();
    }
}
