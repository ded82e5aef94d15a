package dev.interlock.bench;

import java.util.function.IntPredicate;
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

    /** So far off a ratio may be, as a logarithm, to be sure: a fifth. */
    private static final double SURE = Math.log(1.2);

    /**
     * So many standard errors a figure is off in one case out of twenty if its error was estimated from two, three, four … parts: Student's t. The fewer there
     * are, the less is known of the error itself.
     */
    private static final double[] ERRORS = {Double.NaN, Double.NaN, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36};

    /** Quartiles are those of the rounds in which both were undisturbed, if there are any. */
    Quartiles ratio(Metric metric) {
        Quartiles undisturbed = byRound(metric, round -> ours.isUndisturbed(round) && theirs.isUndisturbed(round));
        Quartiles byRound = Double.isNaN(undisturbed.median()) ? byRound(metric, round -> true) : undisturbed;
        return new Quartiles(byRound.lower(), without(Turns.NONE, metric), byRound.upper());
    }

    /** Without the rounds of a part: each side summed up for itself, or the median of the ratios within rounds. */
    private double without(int part, Metric metric) {
        return metric.isOfThreads()
                ? ours.summaryWithout(part, metric) / theirs.summaryWithout(part, metric)
                : byRound(metric, round -> !Turns.isIn(part, round)).median();
    }

    private Quartiles byRound(Metric metric, IntPredicate which) {
        return Quartiles.of(IntStream.range(0, Math.min(ours.count(), theirs.count()))
                .filter(which)
                .mapToDouble(round -> ours.figure(round, metric) / theirs.figure(round, metric))
                .toArray());
    }

    /** Whether it is within a fifth of what many rounds more would say, in 19 cases out of 20, as far as these rounds can tell. */
    boolean isSure(Metric metric) {
        return error(metric) <= SURE;
    }

    /**
     * How far off the logarithm of the ratio is at most, in 19 cases out of 20, by leaving out some of the rounds, others each time: the jackknife. Not a number if a ratio is
     * nothing or without bound, or if there are too few rounds.
     */
    private double error(Metric metric) {
        int rounds = metric.isOfThreads()
                ? Math.min(ours.undisturbed().length, theirs.undisturbed().length)
                : Math.min(ours.count(), theirs.count());
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
        return ERRORS[parts] * Math.sqrt(squares * (parts - 1) / parts);
    }
}
