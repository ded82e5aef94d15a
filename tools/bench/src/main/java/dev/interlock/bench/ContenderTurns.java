package dev.interlock.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** The counted turns of one contender in one workload, by round. Used by one thread. */
final class ContenderTurns {
    /** The number of parts into which the rounds are divided for the jackknife. */
    static final int PARTS = 8;

    /** Leaves out no part. */
    static final int NONE = -1;

    /** The smallest number of wait times for a p99: the slowest 1 % are then ten values. */
    static final int TIMES_OF_A_BLOCK = 1000;

    /** Turns with more CPU steal than this fraction are left out. */
    static final double DISTURBED = 0.02;

    private final List<Sample> samples = new ArrayList<>();

    /** The merged measurements without one part, by part. Every comparison with this contender needs them again. */
    private final Map<Integer, ThreadMeasurements> merged = new HashMap<>();

    /** The p99 without one part, by part. */
    private final Map<Integer, Double> tails = new HashMap<>();

    /** Computed on demand. */
    private int[] undisturbed = {};

    void add(Sample sample) {
        samples.add(sample);
        merged.clear();
        tails.clear();
        undisturbed = new int[0];
    }

    int count() {
        return samples.size();
    }

    double figure(int round, Metric metric) {
        return samples.get(round).get(metric);
    }

    /** Returns the value of each turn. */
    double[] figures(Metric metric) {
        return samples.stream().mapToDouble(sample -> sample.get(metric)).toArray();
    }

    /** Whether the element with this index, counted from 0, belongs to the part. */
    static boolean isIn(int part, int number) {
        return number % PARTS == part;
    }

    /**
     * The rounds with little CPU steal, and always at least half of all rounds. While the host withholds the processor
     * from a holder, no thread gets the lock: 5 % of steal can cost 10 % of the operations.
     */
    int[] undisturbed() {
        if (undisturbed.length == 0) {
            double limit =
                    Math.max(DISTURBED, Quartiles.of(figures(Metric.CPU_STEAL)).median());
            // Written as a negation because the steal is NaN where it was not measured. Such a round counts as
            // undisturbed.
            undisturbed = IntStream.range(0, samples.size())
                    .filter(round -> !(figure(round, Metric.CPU_STEAL) > limit))
                    .toArray();
        }
        return undisturbed;
    }

    boolean isUndisturbed(int round) {
        return Arrays.binarySearch(undisturbed(), round) >= 0;
    }

    /** Summarizes all turns without one part; NaN if there are none. Metrics of threads use undisturbed turns only. */
    double summaryWithout(int part, Metric metric) {
        int[] counted = metric.isOfThreads()
                ? undisturbed()
                : IntStream.range(0, samples.size()).toArray();
        int[] left = IntStream.range(0, counted.length)
                .filter(number -> !isIn(part, number))
                .map(number -> counted[number])
                .toArray();
        if (metric.needsManyRounds() && left.length > 0 && samples.get(left[0]).measurements() != null) {
            return metric == Metric.P99
                    ? tails.computeIfAbsent(part, any -> tail(left))
                    : merged.computeIfAbsent(part, any -> merged(left)).figure(metric);
        }
        return left.length == 0
                ? Double.NaN
                : metric.summary(IntStream.of(left)
                        .mapToDouble(round -> figure(round, metric))
                        .toArray());
    }

    /**
     * The p99 over blocks of consecutive turns, each with enough wait times; the mean of the middle half of the blocks.
     * A pause of the whole computer affects one block, but would dominate the p99 of all turns together. With too few
     * wait times for two blocks, there is one.
     */
    private double tail(int... rounds) {
        List<Double> blocks = new ArrayList<>();
        int from = 0;
        long times = 0;
        for (int to = 0; to < rounds.length; to++) {
            ThreadMeasurements measurements = samples.get(rounds[to]).measurements();
            times += measurements == null ? 0 : measurements.times();
            if (times >= TIMES_OF_A_BLOCK) {
                blocks.add(merged(Arrays.copyOfRange(rounds, from, to + 1)).figure(Metric.P99));
                from = to + 1;
                times = 0;
            }
        }
        return blocks.isEmpty()
                ? merged(rounds).figure(Metric.P99)
                : Quartiles.meanOfMiddleHalf(
                        blocks.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private ThreadMeasurements merged(int... rounds) {
        return ThreadMeasurements.merge(IntStream.of(rounds)
                .mapToObj(round -> samples.get(round).measurements())
                .filter(Objects::nonNull)
                .toList());
    }
}
