package dev.interlock.bench;

import java.util.ArrayList;
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

    private final List<Sample> samples = new ArrayList<>();

    /** What threads noted in all turns but those of a part: it is asked for again and again, by each who is compared with this one. */
    private final Map<Integer, Notes> together = new HashMap<>();

    void add(Sample sample) {
        samples.add(sample);
        together.clear();
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

    /** Whether a round is in this part. */
    static boolean isIn(int part, int round) {
        return round % PARTS == part;
    }

    /** One figure for all turns but those of a part; not a number if there is none. */
    double summaryWithout(int part, Metric metric) {
        int[] left = IntStream.range(0, samples.size())
                .filter(round -> !isIn(part, round))
                .toArray();
        if (metric.isNoted() && left.length > 0 && samples.get(left[0]).notes() != null) {
            return together.computeIfAbsent(part, any -> together(left)).figure(metric);
        }
        return left.length == 0
                ? Double.NaN
                : metric.summary(IntStream.of(left)
                        .mapToDouble(round -> figure(round, metric))
                        .toArray());
    }

    private Notes together(int... rounds) {
        return Notes.together(IntStream.of(rounds)
                .mapToObj(round -> samples.get(round).notes())
                .filter(Objects::nonNull)
                .toList());
    }
}
