package dev.interlock.bench;

import java.util.Optional;

/**
 * A bound that a measured value should meet.
 *
 * @param workload the workload
 * @param contender the contender
 * @param metric the metric
 * @param versus if present, the value is divided by that of this contender, which may be {@link
 *     WorkloadResult#BEST_PEER}
 * @param bound whether the limit is a minimum or a maximum
 * @param limit the limit
 */
public record Goal(
        String workload, String contender, Metric metric, Optional<String> versus, Bound bound, double limit) {
    /** Whether a limit is a minimum or a maximum. */
    public enum Bound {
        /** The value must be at least the limit. */
        AT_LEAST(">="),
        /** The value must be at most the limit. */
        MAX_WAIT("<=");

        private final String sign;

        Bound(String sign) {
            this.sign = sign;
        }
    }

    /** A maximum for a value. */
    public static Goal atMost(String workload, String contender, Metric metric, double limit) {
        return new Goal(workload, contender, metric, Optional.empty(), Bound.MAX_WAIT, limit);
    }

    /** A maximum for a ratio. */
    public static Goal ratioAtMost(String workload, String contender, Metric metric, String versus, double limit) {
        return new Goal(workload, contender, metric, Optional.of(versus), Bound.MAX_WAIT, limit);
    }

    /** A minimum for a ratio. */
    public static Goal ratioAtLeast(String workload, String contender, Metric metric, String versus, double limit) {
        return new Goal(workload, contender, metric, Optional.of(versus), Bound.AT_LEAST, limit);
    }

    /** A short description of the goal. */
    public String sentence() {
        String limitText =
                FigureFormat.show(limit) + versus.map(other -> " x " + other).orElse("");
        return workload + ": " + contender + ' ' + metric.heading() + ' ' + bound.sign + ' ' + limitText;
    }

    /** Checks the result. A missing value misses the goal. */
    public Verdict check(WorkloadResult result) {
        double figure = versus.map(
                        other -> result.ratio(metric, contender, other).median())
                .orElseGet(() -> result.summary(contender, metric));
        return new Verdict(this, figure, bound == Bound.AT_LEAST ? figure >= limit : figure <= limit);
    }

    /**
     * The result of a goal.
     *
     * @param goal the goal
     * @param figure the measured value
     * @param met whether the goal was met
     */
    public record Verdict(Goal goal, double figure, boolean met) {}
}
