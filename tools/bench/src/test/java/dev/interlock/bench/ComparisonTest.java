package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static ContenderTurns figures(Metric metric, double... rounds) {
        ContenderTurns turns = new ContenderTurns();
        for (double figure : rounds) {
            turns.add(new Sample(Map.of(metric, figure)));
        }
        return turns;
    }

    /** One thread per number, with this many operations. All wait times are equal. */
    private static Sample turn(long waitMillis, long... operations) {
        List<ThreadTally> threads = LongStream.of(operations)
                .mapToObj(count -> {
                    Histogram waits = new Histogram(LoopWorker.MAX_NANOS, LoopWorker.DIGITS);
                    waits.recordValueWithCount(waitMillis * 1_000_000, count);
                    return new ThreadTally(count, count, count, waits, new Histogram(3), 1);
                })
                .toList();
        return ProcessTally.sample(List.of(new ProcessTally(1, 0, threads)), 0, null);
    }

    @Test
    void otherMetricsAreDividedRoundByRound() {
        // In one round the server received ten times as many calls. The median of the ratios ignores it.
        Quartiles ratio = new Comparison(
                        figures(Metric.CALLS_PER_SECOND, 2, 40, 4), figures(Metric.CALLS_PER_SECOND, 4, 8, 8))
                .ratio(Metric.CALLS_PER_SECOND);

        assertThat(ratio.median()).isEqualTo(0.5);
    }

    @Test
    void tailsAndSharesCoverAllRounds() {
        ContenderTurns ours = new ContenderTurns();
        ours.add(turn(1, 98, 2));
        ours.add(turn(7, 1, 99));
        ContenderTurns theirs = new ContenderTurns();
        theirs.add(turn(2, 10, 10));
        theirs.add(turn(2, 10, 10));
        Comparison pairs = new Comparison(ours, theirs);

        assertThat(ours.summaryWithout(ContenderTurns.NONE, Metric.SHARE)).isEqualTo(101.0 / 99);
        assertThat(pairs.ratio(Metric.P99).median()).isBetween(3.4, 3.6);
    }

    @Test
    void p50IsTheGeometricMeanOfTheRounds() {
        // A round with wait times a hundred times as long weighs ten times as much, not fifty times.
        assertThat(figures(Metric.P50, 1, 100).summaryWithout(ContenderTurns.NONE, Metric.P50))
                .isBetween(9.99, 10.01);
    }

    @Test
    void onlyUndisturbedRoundsCountButAtLeastHalfOfAll() {
        ContenderTurns turns = new ContenderTurns();
        double[] stolen = {0.4, 0.01, 0, 0.3, 0.02};
        for (int i = 0; i < stolen.length; i++) {
            turns.add(new Sample(Map.of(Metric.OPS, 10.0 * i, Metric.CPU_STEAL, stolen[i])));
        }
        assertThat(turns.undisturbed()).containsExactly(1, 2, 4);
        assertThat(turns.summaryWithout(ContenderTurns.NONE, Metric.OPS)).isBetween(23.3, 23.4);

        turns.add(new Sample(Map.of(Metric.OPS, 1.0, Metric.CPU_STEAL, 0.5)));
        turns.add(new Sample(Map.of(Metric.OPS, 1.0, Metric.CPU_STEAL, 0.6)));
        assertThat(turns.undisturbed()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void quartilesCoverUndisturbedRounds() {
        ContenderTurns ours = new ContenderTurns();
        double[] stolen = {0, 0, 0.5, 0};
        for (double part : stolen) {
            ours.add(new Sample(Map.of(Metric.OPS, part > 0 ? 1.0 : 10.0, Metric.CPU_STEAL, part)));
        }
        ContenderTurns theirs = figures(Metric.OPS, 5, 5, 5, 5);

        assertThat(new Comparison(ours, theirs).ratio(Metric.OPS)).isEqualTo(new Quartiles(2, 2, 2));
    }

    @Test
    void tailIsTheMeanOfTheMiddleHalfOfTheRounds() {
        ContenderTurns ours = new ContenderTurns();
        for (int millis : new int[] {3, 4, 5, 900}) {
            ours.add(turn(millis, 500, 500));
        }

        assertThat(ours.summaryWithout(ContenderTurns.NONE, Metric.P99)).isBetween(4.4, 4.6);
    }

    @Test
    void roundsWithTooFewWaitTimesAreMergedForTheTail() {
        ContenderTurns ours = new ContenderTurns();
        for (int millis : new int[] {3, 4, 5, 900}) {
            ours.add(turn(millis, 100, 100));
        }

        assertThat(ours.summaryWithout(ContenderTurns.NONE, Metric.P99)).isBetween(890.0, 910.0);
    }

    @Test
    void ratioIsSureIfItsRoundsAgree() {
        assertThat(new Comparison(figures(Metric.OPS, 10, 11, 10, 12), figures(Metric.OPS, 5, 5, 5, 5))
                        .isSure(Metric.OPS))
                .isTrue();
        // 10 to 14, repeated to eight values.
        assertThat(new Comparison(
                                figures(Metric.OPS, 10, 14, 10, 12, 11, 13, 10, 12),
                                figures(Metric.OPS, 5, 5, 5, 5, 5, 5, 5, 5))
                        .isSure(Metric.OPS))
                .isTrue();
    }

    @Test
    void ratioIsUnsureIfRoundsDisagreeOrAreFewOrAThreadStarved() {
        assertThat(new Comparison(figures(Metric.OPS, 10, 90, 10, 11), figures(Metric.OPS, 5, 5, 5, 5))
                        .isSure(Metric.OPS))
                .isFalse();
        assertThat(new Comparison(figures(Metric.OPS, 10, 14, 10), figures(Metric.OPS, 5, 5, 5)).isSure(Metric.OPS))
                .isFalse();
        assertThat(new Comparison(figures(Metric.OPS, 10, 10), figures(Metric.OPS, 5, 5)).isSure(Metric.OPS))
                .isFalse();
        assertThat(new Comparison(figures(Metric.OPS, 0, 0, 0), figures(Metric.OPS, 5, 5, 5)).isSure(Metric.OPS))
                .isFalse();
    }
}
