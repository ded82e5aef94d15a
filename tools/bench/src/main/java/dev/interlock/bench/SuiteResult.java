package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * Everything that a run of a suite measured.
 *
 * @param suite what ran
 * @param schedule for how long
 * @param workloads the figures, in the order in which the workloads ran, those of growths among them
 */
public record SuiteResult(Suite suite, Schedule schedule, List<WorkloadResult> workloads) {
    /** Copies the list. */
    public SuiteResult {
        workloads = List.copyOf(workloads);
    }

    /** The figures of workloads that are no step of a growth. */
    public List<WorkloadResult> plain() {
        return suite.workloads().stream().map(this::of).toList();
    }

    /** The figures of each step of a growth. */
    public List<WorkloadResult> of(Growth growth) {
        return growth.steps().stream().map(step -> of(step.workload())).toList();
    }

    private WorkloadResult of(Workload workload) {
        return workloads.stream()
                .filter(result -> result.workload().equals(workload))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(workload.name() + " did not run"));
    }

    /**
     * A ratio for scripts.
     *
     * @param name {@code suite.workload.metric.vs_peer}
     * @param value ours divided by theirs
     * @param sure whether another run would say much the same, as far as the rounds of this one can tell
     */
    public record Ratio(String name, double value, boolean sure) {
        /** One of which nobody asked whether it is sure. */
        public Ratio(String name, double value) {
            this(name, value, true);
        }

        /** As scripts read it. */
        public String line() {
            return "RATIO " + name + ' ' + Figures.write(value);
        }
    }

    /**
     * A figure of ours for scripts.
     *
     * @param name {@code suite.workload.metric}
     * @param metric what it measures
     * @param value the figure
     */
    public record Value(String name, Metric metric, double value) {
        /** As scripts read it. */
        public String line() {
            return "VALUE " + name + ' ' + Figures.write(value);
        }
    }

    /** Every ratio of ours to another's that is a number. */
    public List<Ratio> ratios() {
        List<Ratio> ratios = new ArrayList<>();
        for (WorkloadResult result : workloads) {
            List<Contender> all = result.workload().contenders();
            for (Contender ours : all.stream().filter(Contender::isOurs).toList()) {
                for (Contender other : all.stream().filter(one -> !one.isOurs()).toList()) {
                    ratios.addAll(ratios(result, ours, other.name()));
                }
                ratios.addAll(ratios(result, ours, WorkloadResult.BEST_PEER));
            }
        }
        return ratios;
    }

    private List<Ratio> ratios(WorkloadResult result, Contender ours, String other) {
        return result.workload().metrics().stream()
                .filter(Metric::isCompared)
                .map(metric -> new Ratio(
                        name(result, ours, metric) + ".vs_" + other,
                        result.ratio(metric, ours.name(), other).median(),
                        result.isSure(metric, ours.name(), other)))
                .filter(ratio -> Double.isFinite(ratio.value()))
                .toList();
    }

    /** Every figure of ours that is a number and stands for itself. */
    public List<Value> values() {
        List<Value> values = new ArrayList<>();
        for (WorkloadResult result : workloads) {
            for (Contender contender : result.workload().contenders()) {
                for (Metric metric : result.workload().metrics()) {
                    double value = result.summary(contender.name(), metric);
                    if (contender.isOurs() && Double.isFinite(value)) {
                        values.add(new Value(name(result, contender, metric), metric, value));
                    }
                }
            }
        }
        return values;
    }

    private String name(WorkloadResult result, Contender ours, Metric metric) {
        return suite.name() + '.' + result.workload().name() + ours.variantSuffix() + '.' + metric.id();
    }

    /** How much of the processors the host took away, in words; empty if that does not matter. */
    Optional<String> disturbance() {
        double[] parts = workloads.stream()
                .flatMapToDouble(result -> result.workload().contenders().stream()
                        .flatMapToDouble(one -> DoubleStream.of(result.rounds(one.name(), Metric.STOLEN))))
                .filter(part -> !Double.isNaN(part))
                .toArray();
        double mean = DoubleStream.of(parts).average().orElse(0);
        return mean <= Turns.DISTURBED / 2
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "The host of this virtual machine took away %.0f %% of its processors' time. Turns with more than %.0f %% are left out,"
                                + " half of them at the most; such a computer is not steady, and ratios of another run may be others.",
                        mean * 100,
                        Turns.DISTURBED * 100));
    }

    /** The goals of the suite, held against the figures. */
    public List<Goal.Verdict> verdicts() {
        List<Goal.Verdict> verdicts = new ArrayList<>();
        for (Goal goal : suite.goals()) {
            for (WorkloadResult result : workloads) {
                if (result.workload().name().equals(goal.workload())) {
                    verdicts.add(goal.judge(result));
                }
            }
        }
        return verdicts;
    }

    /** Whether every lock of ours did what a lock is for: it did not fail, and no guarded update was lost. */
    public boolean isSound() {
        for (WorkloadResult result : workloads) {
            for (Contender contender : result.workload().contenders()) {
                boolean failed = result.failureOf(contender.name()).isPresent();
                boolean lost = result.summary(contender.name(), Metric.LOST_UPDATES) > 0;
                if (contender.isOurs() && (failed || lost)) {
                    return false;
                }
            }
        }
        return true;
    }
}
