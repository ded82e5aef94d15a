package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BarChartTest {
    private static final Contender OURS = ScriptedWorkload.ours();
    private static final Contender FLOOR = ScriptedWorkload.floor();
    private static final Contender PEER = ScriptedWorkload.peer("peer");

    private final WorkloadResult result =
            new UnrunWorkload("task", "a task", List.of(OURS, FLOOR, PEER), List.of(Metric.OPS)).result();

    @Test
    void barLengthsAreProportionalToTheValues() throws Exception {
        measured(OURS, 1_000);
        measured(FLOOR, 4_000);
        measured(PEER, 2_000);

        assertThat(chart().texts("//rect/@width")).containsExactly("25%", "100%", "50%");
        assertThat(values()).containsExactly("1,000", "4,000", "2,000");
        assertThat(chart().texts("/div/svg/g/@class")).containsExactly("ours", "floor", "peer");
    }

    @Test
    void whiskersSpanTheQuartiles() throws Exception {
        measured(OURS, 10, 20, 30, 40, 50);

        assertThat(chart().texts("//g[@class='whisker']/line[1]/@x1")).containsExactly("50%");
        assertThat(chart().texts("//g[@class='whisker']/line[1]/@x2")).containsExactly("100%");
        assertThat(chart().texts("//rect/@width")).containsExactly("75%");
    }

    @Test
    void contenderWithoutAValueHasALabelButNoBar() throws Exception {
        measured(OURS, Double.NaN);
        measured(FLOOR, Double.POSITIVE_INFINITY, 1, Double.POSITIVE_INFINITY);
        result.failed(PEER, "tired");

        assertThat(chart().texts("//rect")).isEmpty();
        assertThat(values()).containsExactly("-", "inf", "FAILED");
        assertThat(chart().texts("//@*")).noneMatch(value -> value.contains("NaN") || value.contains("Infinity"));
    }

    private void measured(Contender contender, double... rounds) {
        for (double round : rounds) {
            result.add(contender, new Sample(Map.of(Metric.OPS, round)));
        }
    }

    private List<String> values() throws Exception {
        return chart().texts("//text[@class='value']");
    }

    private ParsedPage chart() throws Exception {
        Markup page = new Markup();
        new BarChart(page, result).write();
        return new ParsedPage(page.toString());
    }
}
