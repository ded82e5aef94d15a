package dev.interlock.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** The turns of one contender at one workload, which counted, in the order of their rounds. Used by one thread. */
final class Turns {
    /** Into so many parts rounds are divided to see what becomes of a figure without one of them. */
    static final int PARTS = 8;

    /** Stands for leaving out none of them. */
    static final int NONE = -1;

    /** Of so many times there are ten in the slowest hundredth: enough to say where it begins. */
    static final int TIMES_OF_A_BLOCK = 1000;

    /** A turn of which the host took more than this is left out. */
    static final double DISTURBED = 0.02;

    private final List<Sample> samples = new ArrayList<>();

    /** What threads noted in all turns but those of a part: it is asked for again and again, by each who is compared with this one. */
    private final Map<Integer, Notes> together = new HashMap<>();

    /** Where the slowest hundredth begins in all turns but those of a part. */
    private final Map<Integer, Double> tails = new HashMap<>();

    /** Found when it is asked for. */
    private int[] undisturbed = {};

    void add(Sample sample) {
        samples.add(sample);
        together.clear();
        tails.clear();
        undisturbed = new int[0];
    }

    int count() {
        return samples.size();
    }

    double figure(int round, Metric metric) {
        return samples.get(round).get(metric);
    }

    /** One figure of each turn. */
    double[] figures(Metric metric) {
        return samples.stream().mapToDouble(sample -> sample.get(metric)).toArray();
    }

    /** Whether something is in this part, if it is counted from 0 on. */
    static boolean isIn(int part, int number) {
        return number % PARTS == part;
    }

    /**
     * The rounds in which the host of a virtual machine left the processors alone, or at least did so more than in the others: never less than half of all. A
     * lock whose holder has no processor is passed on to nobody, so that a twentieth of the time can cost a tenth of the operations.
     */
    int[] undisturbed() {
        if (undisturbed.length == 0) {
            double limit =
                    Math.max(DISTURBED, Quartiles.of(figures(Metric.STOLEN)).median());
            // Not the other way round: what was not measured is undisturbed.
            undisturbed = IntStream.range(0, samples.size())
                    .filter(round -> !(figure(round, Metric.STOLEN) > limit))
                    .toArray();
        }
        return undisturbed;
    }

    boolean isUndisturbed(int round) {
        return Arrays.binarySearch(undisturbed(), round) >= 0;
    }

    /** One figure for all turns but those of a part; not a number if there is none. What threads did is told by undisturbed ones only. */
    double summaryWithout(int part, Metric metric) {
        int[] counted = metric.isOfThreads()
                ? undisturbed()
                : IntStream.range(0, samples.size()).toArray();
        int[] left = IntStream.range(0, counted.length)
                .filter(number -> !isIn(part, number))
                .map(number -> counted[number])
                .toArray();
        if (metric.isRare() && left.length > 0 && samples.get(left[0]).notes() != null) {
            return metric == Metric.P99
                    ? tails.computeIfAbsent(part, any -> tail(left))
                    : together.computeIfAbsent(part, any -> together(left)).figure(metric);
        }
        return left.length == 0
                ? Double.NaN
                : metric.summary(IntStream.of(left)
                        .mapToDouble(round -> figure(round, metric))
                        .toArray());
    }

    /**
     * Turns, one after the other, as blocks that have enough times each; the middle half of the blocks counts. A moment in which the computer stood
     * still is in one block, and would be the tail of all of them together. Who has not enough for two blocks has one.
     */
    private double tail(int... rounds) {
        List<Double> blocks = new ArrayList<>();
        int from = 0;
        long times = 0;
        for (int to = 0; to < rounds.length; to++) {
            Notes notes = samples.get(rounds[to]).notes();
            times += notes == null ? 0 : notes.times();
            if (times >= TIMES_OF_A_BLOCK) {
                blocks.add(together(Arrays.copyOfRange(rounds, from, to + 1)).figure(Metric.P99));
                from = to + 1;
                times = 0;
            }
        }
        return blocks.isEmpty()
                ? together(rounds).figure(Metric.P99)
                : Quartiles.meanOfMiddleHalf(
                        blocks.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private Notes together(int... rounds) {
        return Notes.together(IntStream.of(rounds)
                .mapToObj(round -> samples.get(round).notes())
                .filter(Objects::nonNull)
                .toList());
    }
}
