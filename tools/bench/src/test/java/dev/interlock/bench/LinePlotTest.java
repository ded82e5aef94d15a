package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinePlotTest {
    private static final Contender OURS = ScriptedWorkload.ours();
    private static final Contender FLOOR = ScriptedWorkload.floor();
    private static final List<Contender> CONTENDERS = List.of(OURS, FLOOR);

    @Test
    void everyContenderHasALineWithOnePointPerSize() throws Exception {
        ParsedPage plot = plot(measured(100, 100), measured(1_000, 100), measured(10_000, 100));

        assertThat(lines(plot, OURS)).containsExactly("0,300 50,150 100,0");
        assertThat(lines(plot, FLOOR)).containsExactly("0,300 50,300 100,300");
        assertThat(plot.texts("//g[contains(@class, 'label')]//text")).containsExactly("interlock", "floor");
    }

    @Test
    void interlockIsDrawnOnTop() throws Exception {
        ParsedPage plot = plot(measured(100, 100), measured(1_000, 100));

        assertThat(plot.texts("//@data-contender")).containsExactly("floor", "interlock");
    }

    @Test
    void stepThatFailedIsAGap() throws Exception {
        WorkloadResult failed = measured(Double.NaN, 100);
        failed.failed(OURS, "tired");
        ParsedPage plot =
                plot(measured(100, 100), measured(100, 100), failed, measured(1_000, 100), measured(1_000, 100));

        assertThat(lines(plot, OURS)).containsExactly("0,300 25,300", "75,0 100,0");
        assertThat(lines(plot, FLOOR)).hasSize(1);
        assertThat(plot.texts("//g[@data-contender='interlock']/circle")).hasSize(4);
    }

    @Test
    void pointBetweenGapsIsDrawn() throws Exception {
        ParsedPage plot = plot(measured(Double.NaN, 100), measured(100, 200), measured(Double.NaN, 500));

        assertThat(lines(plot, OURS)).isEmpty();
        assertThat(plot.texts("//g[@data-contender='interlock']/circle/title"))
                .containsExactly("interlock at 100 locks: 100 ops/s");
    }

    @Test
    void valuesThatDoNotFitTheAxisAreGaps() throws Exception {
        ParsedPage plot = plot(measured(0, 1), measured(Double.POSITIVE_INFINITY, 10), measured(Double.NaN, 100));

        assertThat(plot.texts("//@data-contender")).containsExactly("floor");
        assertThat(plot.texts("//@*")).noneMatch(value -> value.contains("NaN") || value.contains("Infinity"));
    }

    @Test
    void plotWithoutValuesIsEmpty() {
        assertThat(draw(new Markup(), measured(0, Double.NaN)).isEmpty()).isTrue();
    }

    @Test
    void singleSizeIsInTheMiddle() throws Exception {
        assertThat(plot(measured(1, 10)).texts("//g[@data-contender]/circle/@cx"))
                .containsOnly("50%");
    }

    private static List<String> lines(ParsedPage plot, Contender contender) throws Exception {
        return plot.texts("//g[@data-contender='" + contender.name() + "']//polyline/@points");
    }

    private static WorkloadResult measured(double ours, double floors) {
        return new UnrunWorkload("step", "a step", CONTENDERS, List.of(Metric.OPS)).result(ours, floors);
    }

    private static ParsedPage plot(WorkloadResult... results) throws Exception {
        Markup page = new Markup();
        draw(page, results).write();
        return new ParsedPage(page.toString());
    }

    /** The sizes are 10, 100 and so on. */
    private static LinePlot draw(Markup page, WorkloadResult... results) {
        List<ScalingRun.Step> steps = new ArrayList<>();
        int size = 1;
        for (WorkloadResult result : results) {
            size *= 10;
            steps.add(new ScalingRun.Step(size, result.workload()));
        }
        ScalingRun scalingRun = new ScalingRun("keys", "many", "locks", steps);
        SuiteResult suite = new SuiteResult(
                new Suite("s", List.of(), List.of(scalingRun), List.of()), Schedule.QUICK, List.of(results));
        return new LinePlot(page, scalingRun, List.of(results), Metric.OPS, new Palette(suite), LinePlot.Detail.LARGE);
    }
}
