package dev.interlock.bench;

import java.util.function.IntPredicate;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Compares two contenders in the same workload.
 *
 * @param ours the turns of Interlock
 * @param theirs the turns of the other contender
 */
record Comparison(ContenderTurns ours, ContenderTurns theirs) {
    private static final int MIN_ROUNDS = 3;

    /** The largest error of a ratio that counts as sure, as a logarithm: 20 %. */
    private static final double SURE = Math.log(1.2);

    /** Student's t for a two-sided 95 % interval, by the number of parts from which the error was estimated. */
    private static final double[] ERRORS = {Double.NaN, Double.NaN, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36};

    /** The quartiles are those of the rounds in which neither contender was disturbed, if there are such rounds. */
    Quartiles ratio(Metric metric) {
        Quartiles undisturbed = byRound(metric, round -> ours.isUndisturbed(round) && theirs.isUndisturbed(round));
        Quartiles byRound = Double.isNaN(undisturbed.median()) ? byRound(metric, round -> true) : undisturbed;
        return new Quartiles(byRound.lower(), without(ContenderTurns.NONE, metric), byRound.upper());
    }

    /**
     * The ratio without the rounds of one part: each side summarized on its own, or the median of the ratios of the
     * rounds.
     */
    private double without(int part, Metric metric) {
        return metric.isOfThreads()
                ? ours.summaryWithout(part, metric) / theirs.summaryWithout(part, metric)
                : byRound(metric, round -> !ContenderTurns.isIn(part, round)).median();
    }

    private Quartiles byRound(Metric metric, IntPredicate which) {
        return Quartiles.of(IntStream.range(0, Math.min(ours.count(), theirs.count()))
                .filter(which)
                .mapToDouble(round -> ours.figure(round, metric) / theirs.figure(round, metric))
                .toArray());
    }

    /** Whether the ratio is within 20 % of what many more rounds would give, with 95 % confidence. */
    boolean isSure(Metric metric) {
        return error(metric) <= SURE;
    }

    /**
     * The half-width of the 95 % interval of the logarithm of the ratio, estimated with the jackknife. NaN if a ratio
     * is zero or infinite, or if there are too few rounds.
     */
    private double error(Metric metric) {
        int rounds = metric.isOfThreads()
                ? Math.min(ours.undisturbed().length, theirs.undisturbed().length)
                : Math.min(ours.count(), theirs.count());
        if (rounds < MIN_ROUNDS) {
            return Double.NaN;
        }
        int parts = Math.min(ContenderTurns.PARTS, rounds);
        double[] logarithms = IntStream.range(0, parts)
                .mapToDouble(part -> Math.log(without(part, metric)))
                .toArray();
        double mean = DoubleStream.of(logarithms).average().orElse(Double.NaN);
        double squares = DoubleStream.of(logarithms)
                .map(logarithm -> (logarithm - mean) * (logarithm - mean))
                .sum();
        return ERRORS[parts] * Math.sqrt(squares * (parts - 1) / parts);
    }
}
