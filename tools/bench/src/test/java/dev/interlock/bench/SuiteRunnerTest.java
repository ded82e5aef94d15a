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
        return new SuiteRunner(schedule, Progress.SILENT).run(new Suite("suite", List.of(workload), List.of(goal)));
    }

    private static String text(SuiteResult result) {
        StringWriter text = new StringWriter();
        new TextReport(new PrintWriter(text)).write(result);
        return text.toString();
    }
}
