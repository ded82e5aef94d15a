package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * The result of a run.
 *
 * @param suite the suite
 * @param schedule the schedule
 * @param workloads the results in the order in which the workloads ran, including the steps of scaling runs
 */
public record SuiteResult(Suite suite, Schedule schedule, List<WorkloadResult> workloads) {
    /** Copies the list. */
    public SuiteResult {
        workloads = List.copyOf(workloads);
    }

    /** The results of the workloads that are not steps of a scaling run. */
    public List<WorkloadResult> plain() {
        return suite.workloads().stream().map(this::of).toList();
    }

    /** The results of the steps of a scaling run. */
    public List<WorkloadResult> of(ScalingRun scalingRun) {
        return scalingRun.steps().stream().map(step -> of(step.workload())).toList();
    }

    private WorkloadResult of(BenchWorkload workload) {
        return workloads.stream()
                .filter(result -> result.workload().equals(workload))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(workload.name() + " did not run"));
    }

    /**
     * A ratio for scripts.
     *
     * @param name {@code suite.workload.metric.vs_peer}
     * @param value Interlock's value divided by the other contender's
     * @param sure whether another run would give about the same, as far as the rounds of this run show
     */
    public record Ratio(String name, double value, boolean sure) {
        /** A ratio whose reliability was not estimated. */
        public Ratio(String name, double value) {
            this(name, value, true);
        }

        /** The line for scripts. */
        public String line() {
            return "RATIO " + name + ' ' + FigureFormat.write(value);
        }
    }

    /**
     * A value of Interlock for scripts.
     *
     * @param name {@code suite.workload.metric}
     * @param metric the metric
     * @param value the value
     */
    public record Value(String name, Metric metric, double value) {
        /** The line for scripts. */
        public String line() {
            return "VALUE " + name + ' ' + FigureFormat.write(value);
        }
    }

    /** All ratios of Interlock to another contender that are numbers. */
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

    /** All values of Interlock that are finite. */
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

    /** Describes the CPU steal; empty if it was negligible. */
    Optional<String> disturbance() {
        double[] parts = workloads.stream()
                .flatMapToDouble(result -> result.workload().contenders().stream()
                        .flatMapToDouble(one -> DoubleStream.of(result.rounds(one.name(), Metric.CPU_STEAL))))
                .filter(part -> !Double.isNaN(part))
                .toArray();
        double mean = DoubleStream.of(parts).average().orElse(0);
        return mean <= ContenderTurns.DISTURBED / 2
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "The host of this virtual machine withheld %.0f %% of the processor time (CPU steal). Turns"
                                + " with more than %.0f %% are left out, but at most half of them. On such a computer,"
                                + " ratios may differ between runs.",
                        mean * 100,
                        ContenderTurns.DISTURBED * 100));
    }

    /** Checks the goals of the suite. */
    public List<Goal.Verdict> verdicts() {
        List<Goal.Verdict> verdicts = new ArrayList<>();
        for (Goal goal : suite.goals()) {
            for (WorkloadResult result : workloads) {
                if (result.workload().name().equals(goal.workload())) {
                    verdicts.add(goal.check(result));
                }
            }
        }
        return verdicts;
    }

    /** Whether no Interlock contender failed or lost an update. */
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
