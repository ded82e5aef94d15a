package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PairsTest {
    private static Turns figures(Metric metric, double... rounds) {
        Turns turns = new Turns();
        for (double figure : rounds) {
            turns.add(new Sample(Map.of(metric, figure)));
        }
        return turns;
    }

    /** One thread for each number, with so many operations; all of them waited equally long. */
    private static Sample turn(long waitMillis, long... operations) {
        List<Tally> threads = LongStream.of(operations)
                .mapToObj(count -> {
                    Histogram waits = new Histogram(BenchWorker.LONGEST_NANOS, 3);
                    waits.recordValueWithCount(waitMillis * 1_000_000, count);
                    return new Tally(count, count, count, waits, new Histogram(3), 1);
                })
                .toList();
        return ProcessTally.sample(List.of(new ProcessTally(1, 0, threads)), 0, null);
    }

    @Test
    void otherMetricsAreDividedWithinTheirRounds() {
        // A server that was asked ten times as much in one round: the middle of the ratios does not see it.
        Quartiles ratio =
                new Pairs(figures(Metric.CALLS, 2, 40, 4), figures(Metric.CALLS, 4, 8, 8)).ratio(Metric.CALLS);

        assertThat(ratio.median()).isEqualTo(0.5);
    }

    @Test
    void timesAndSharesAreThoseOfAllRoundsTogether() {
        Turns ours = new Turns();
        ours.add(turn(1, 98, 2));
        ours.add(turn(7, 1, 99));
        Turns theirs = new Turns();
        theirs.add(turn(2, 10, 10));
        theirs.add(turn(2, 10, 10));
        Pairs pairs = new Pairs(ours, theirs);

        assertThat(ours.summaryWithout(Turns.NONE, Metric.SHARE)).isEqualTo(101.0 / 99);
        assertThat(pairs.ratio(Metric.P50).median()).isBetween(0.49, 0.51);
        assertThat(pairs.ratio(Metric.P99).median()).isBetween(3.4, 3.6);
    }

    @Test
    void tailIsThatOfTheMiddleHalfOfTheRounds() {
        Turns ours = new Turns();
        for (int millis : new int[] {3, 4, 5, 900}) {
            ours.add(turn(millis, 500, 500));
        }

        assertThat(ours.summaryWithout(Turns.NONE, Metric.P99)).isBetween(4.4, 4.6);
    }

    @Test
    void roundsWithTooFewTimesForATailOfTheirOwnAreLookedAtTogether() {
        Turns ours = new Turns();
        for (int millis : new int[] {3, 4, 5, 900}) {
            ours.add(turn(millis, 100, 100));
        }

        assertThat(ours.summaryWithout(Turns.NONE, Metric.P99)).isBetween(890.0, 910.0);
    }

    @Test
    void ratioWhoseRoundsAgreeIsSure() {
        assertThat(new Pairs(figures(Metric.OPS, 10, 11, 10, 12), figures(Metric.OPS, 5, 5, 5, 5)).isSure(Metric.OPS))
                .isTrue();
    }

    @Test
    void ratioIsUnsureIfItsRoundsDisagreeOrAreFewOrSomebodyStarved() {
        assertThat(new Pairs(figures(Metric.OPS, 10, 90, 10, 11), figures(Metric.OPS, 5, 5, 5, 5)).isSure(Metric.OPS))
                .isFalse();
        assertThat(new Pairs(figures(Metric.OPS, 10, 10), figures(Metric.OPS, 5, 5)).isSure(Metric.OPS))
                .isFalse();
        assertThat(new Pairs(figures(Metric.OPS, 0, 0, 0), figures(Metric.OPS, 5, 5, 5)).isSure(Metric.OPS))
                .isFalse();
    }
}
