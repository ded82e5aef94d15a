package dev.interlock.bench;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * One contender compared with another one, at the same workload.
 *
 * @param ours the turns of the one
 * @param theirs those of the other one
 */
record Pairs(Turns ours, Turns theirs) {
    private static final int FEWEST_ROUNDS = 3;

    /**
     * So far off, as a standard error of the logarithm, a ratio may be. Of those that were, two runs of the quick suites agreed within a fifth of their middle on 97 in a hundred, and
     * on 89 in a hundred of all.
     */
    private static final double SURE = 0.15;

    /** Quartiles are those of the rounds. */
    Quartiles ratio(Metric metric) {
        Quartiles byRound = byRound(Turns.NONE, metric);
        return new Quartiles(byRound.lower(), without(Turns.NONE, metric), byRound.upper());
    }

    /** Of all rounds together but those of a part, where a metric can be; otherwise the median of the rounds. */
    private double without(int part, Metric metric) {
        return metric.isOfAllRounds()
                ? ours.summaryWithout(part, metric) / theirs.summaryWithout(part, metric)
                : byRound(part, metric).median();
    }

    private Quartiles byRound(int part, Metric metric) {
        return Quartiles.of(IntStream.range(0, Math.min(ours.count(), theirs.count()))
                .filter(round -> !Turns.isIn(part, round))
                .mapToDouble(round -> ours.figure(round, metric) / theirs.figure(round, metric))
                .toArray());
    }

    /** Whether another run would say much the same, as far as the rounds can tell. */
    boolean isSure(Metric metric) {
        return error(metric) <= SURE;
    }

    /**
     * The standard error of the ratio's logarithm, by leaving out some of the rounds, others each time: the jackknife. Not a number if a ratio is
     * nothing or without bound, or if there are too few rounds.
     */
    private double error(Metric metric) {
        int rounds = Math.min(ours.count(), theirs.count());
        if (rounds < FEWEST_ROUNDS) {
            return Double.NaN;
        }
        int parts = Math.min(Turns.PARTS, rounds);
        double[] logarithms = IntStream.range(0, parts)
                .mapToDouble(part -> Math.log(without(part, metric)))
                .toArray();
        double mean = DoubleStream.of(logarithms).average().orElse(Double.NaN);
        double squares = DoubleStream.of(logarithms)
                .map(logarithm -> (logarithm - mean) * (logarithm - mean))
                .sum();
        return Math.sqrt(squares * (parts - 1) / parts);
    }
}
