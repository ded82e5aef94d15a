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
                    Histogram waits = new Histogram(BenchWorker.LONGEST_NANOS, BenchWorker.DIGITS);
                    waits.recordValueWithCount(waitMillis * 1_000_000, count);
                    return new Tally(count, count, count, waits, new Histogram(3), 1);
                })
                .toList();
        return ProcessTally.sample(List.of(new ProcessTally(1, 0, threads)), 0, null);
    }

    @Test
    void otherMetricsAreDividedWithinTheirRounds() {
        // A server that was asked ten times as much in one round: the middle of the ratios does not see it.
        Quartiles ratio = new Pairs(
                        figures(Metric.CALLS_PER_SECOND, 2, 40, 4), figures(Metric.CALLS_PER_SECOND, 4, 8, 8))
                .ratio(Metric.CALLS_PER_SECOND);

        assertThat(ratio.median()).isEqualTo(0.5);
    }

    @Test
    void tailsAndSharesAreThoseOfAllRoundsTogether() {
        Turns ours = new Turns();
        ours.add(turn(1, 98, 2));
        ours.add(turn(7, 1, 99));
        Turns theirs = new Turns();
        theirs.add(turn(2, 10, 10));
        theirs.add(turn(2, 10, 10));
        Pairs pairs = new Pairs(ours, theirs);

        assertThat(ours.summaryWithout(Turns.NONE, Metric.SHARE)).isEqualTo(101.0 / 99);
        assertThat(pairs.ratio(Metric.P99).median()).isBetween(3.4, 3.6);
    }

    @Test
    void medianTimeIsTheMeanOfTheRoundsByFactors() {
        // A round in which everybody waited a hundred times as long weighs ten times as much, not fifty times.
        assertThat(figures(Metric.P50, 1, 100).summaryWithout(Turns.NONE, Metric.P50))
                .isBetween(9.99, 10.01);
    }

    @Test
    void onlyUndisturbedRoundsCountButNeverLessThanHalf() {
        Turns turns = new Turns();
        double[] stolen = {0.4, 0.01, 0, 0.3, 0.02};
        for (int i = 0; i < stolen.length; i++) {
            turns.add(new Sample(Map.of(Metric.OPS, 10.0 * i, Metric.STOLEN, stolen[i])));
        }
        assertThat(turns.undisturbed()).containsExactly(1, 2, 4);
        assertThat(turns.summaryWithout(Turns.NONE, Metric.OPS)).isBetween(23.3, 23.4);

        turns.add(new Sample(Map.of(Metric.OPS, 1.0, Metric.STOLEN, 0.5)));
        turns.add(new Sample(Map.of(Metric.OPS, 1.0, Metric.STOLEN, 0.6)));
        assertThat(turns.undisturbed()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void quartilesAreThoseOfUndisturbedRounds() {
        Turns ours = new Turns();
        double[] stolen = {0, 0, 0.5, 0};
        for (double part : stolen) {
            ours.add(new Sample(Map.of(Metric.OPS, part > 0 ? 1.0 : 10.0, Metric.STOLEN, part)));
        }
        Turns theirs = figures(Metric.OPS, 5, 5, 5, 5);

        assertThat(new Pairs(ours, theirs).ratio(Metric.OPS)).isEqualTo(new Quartiles(2, 2, 2));
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
        // 10 to 14, but eight of them.
        assertThat(new Pairs(
                                figures(Metric.OPS, 10, 14, 10, 12, 11, 13, 10, 12),
                                figures(Metric.OPS, 5, 5, 5, 5, 5, 5, 5, 5))
                        .isSure(Metric.OPS))
                .isTrue();
    }

    @Test
    void ratioIsUnsureIfItsRoundsDisagreeOrAreFewOrSomebodyStarved() {
        assertThat(new Pairs(figures(Metric.OPS, 10, 90, 10, 11), figures(Metric.OPS, 5, 5, 5, 5)).isSure(Metric.OPS))
                .isFalse();
        assertThat(new Pairs(figures(Metric.OPS, 10, 14, 10), figures(Metric.OPS, 5, 5, 5)).isSure(Metric.OPS))
                .isFalse();
        assertThat(new Pairs(figures(Metric.OPS, 10, 10), figures(Metric.OPS, 5, 5)).isSure(Metric.OPS))
                .isFalse();
        assertThat(new Pairs(figures(Metric.OPS, 0, 0, 0), figures(Metric.OPS, 5, 5, 5)).isSure(Metric.OPS))
                .isFalse();
    }
}
