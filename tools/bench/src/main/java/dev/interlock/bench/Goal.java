package dev.interlock.bench;

import java.util.Optional;

/**
 * A bound that a figure of ours is held against.
 *
 * @param workload where
 * @param contender whose figure
 * @param metric which figure
 * @param versus if present, the figure is a ratio: divided by that of this contender, which may be
 *     {@link WorkloadResult#BEST_PEER}
 * @param bound which side of the limit is good
 * @param limit the limit
 */
public record Goal(
        String workload, String contender, Metric metric, Optional<String> versus, Bound bound, double limit) {
    /** Which side of a limit is good. */
    public enum Bound {
        /** The limit or more. */
        AT_LEAST(">="),
        /** The limit or less. */
        AT_MOST("<=");

        private final String sign;

        Bound(String sign) {
            this.sign = sign;
        }
    }

    /** A figure that must not be larger. */
    public static Goal atMost(String workload, String contender, Metric metric, double limit) {
        return new Goal(workload, contender, metric, Optional.empty(), Bound.AT_MOST, limit);
    }

    /** A ratio that must not be larger. */
    public static Goal ratioAtMost(String workload, String contender, Metric metric, String versus, double limit) {
        return new Goal(workload, contender, metric, Optional.of(versus), Bound.AT_MOST, limit);
    }

    /** A ratio that must not be smaller. */
    public static Goal ratioAtLeast(String workload, String contender, Metric metric, String versus, double limit) {
        return new Goal(workload, contender, metric, Optional.of(versus), Bound.AT_LEAST, limit);
    }

    /** The goal in a few words. */
    public String sentence() {
        String limitText =
                Figures.show(limit) + versus.map(other -> " x " + other).orElse("");
        return workload + ": " + contender + ' ' + metric.heading() + ' ' + bound.sign + ' ' + limitText;
    }

    /** Holds the result against the goal; a figure that is missing misses it. */
    public Verdict judge(WorkloadResult result) {
        double figure = versus.map(
                        other -> result.ratio(metric, contender, other).median())
                .orElseGet(() -> result.summary(contender, metric));
        return new Verdict(this, figure, bound == Bound.AT_LEAST ? figure >= limit : figure <= limit);
    }

    /**
     * What became of a goal.
     *
     * @param goal the goal
     * @param figure what was measured
     * @param met whether that is good enough
     */
    public record Verdict(Goal goal, double figure, boolean met) {}
}
