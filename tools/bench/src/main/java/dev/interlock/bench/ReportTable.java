package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table of formatted values, which reports lay out.
 *
 * @param headings the column headings; the first one is empty
 * @param rows one row per contender: its name, then its values
 */
record ReportTable(List<String> headings, List<List<String>> rows) {
    /** All metrics of a workload, and the first one divided by that of other contenders. */
    static ReportTable of(WorkloadResult result) {
        BenchWorkload workload = result.workload();
        List<String> others = comparedWith(result);
        List<String> headings = new ArrayList<>(List.of(""));
        workload.metrics().forEach(metric -> headings.add(metric.heading()));
        others.forEach(other -> headings.add("x " + other));
        return new ReportTable(
                headings,
                workload.contenders().stream()
                        .map(contender -> row(result, contender, others))
                        .toList());
    }

    /**
     * The first metric of a scaling run at all sizes, the ratio of the last value to the first, and the total of lost
     * updates.
     */
    static ReportTable of(ScalingRun scalingRun, List<WorkloadResult> steps) {
        List<String> headings = new ArrayList<>(List.of(""));
        scalingRun.steps().forEach(step -> headings.add(String.format(Locale.ROOT, "%,d", step.size())));
        headings.add("last / first");
        if (countsLosses(scalingRun)) {
            headings.add(Metric.LOST_UPDATES.heading());
        }
        return new ReportTable(
                headings,
                scalingRun.contenders().stream()
                        .map(contender -> row(scalingRun, steps, contender))
                        .toList());
    }

    /** The floors and the best peer. One column per peer would not fit on a screen. */
    private static List<String> comparedWith(WorkloadResult result) {
        List<String> others = new ArrayList<>();
        for (Contender contender : result.workload().contenders()) {
            if (contender.role() == Contender.Role.FLOOR) {
                others.add(contender.name());
            }
        }
        result.bestPeer(result.workload().metrics().get(0)).ifPresent(others::add);
        return others;
    }

    private static List<String> row(WorkloadResult result, Contender contender, List<String> others) {
        List<String> row = new ArrayList<>(List.of(contender.name()));
        List<Metric> metrics = result.workload().metrics();
        for (Metric metric : metrics) {
            row.add(FigureFormat.show(result.summary(contender.name(), metric)));
        }
        for (String other : others) {
            Quartiles ratio = result.ratio(metrics.get(0), contender.name(), other);
            row.add(
                    other.equals(others.get(0)) && !other.equals(contender.name())
                            ? show(ratio)
                            : FigureFormat.show(ratio.median()));
        }
        return row;
    }

    private static String show(Quartiles ratio) {
        return Double.isNaN(ratio.median())
                ? FigureFormat.show(Double.NaN)
                : FigureFormat.show(ratio.median()) + " (" + FigureFormat.show(ratio.lower()) + "-"
                        + FigureFormat.show(ratio.upper()) + ")";
    }

    private static List<String> row(ScalingRun scalingRun, List<WorkloadResult> steps, Contender contender) {
        Metric metric = scalingRun.metrics().get(0);
        List<String> row = new ArrayList<>(List.of(contender.name()));
        steps.forEach(step -> row.add(FigureFormat.show(step.summary(contender.name(), metric))));
        double first = steps.get(0).summary(contender.name(), metric);
        row.add(FigureFormat.show(steps.get(steps.size() - 1).summary(contender.name(), metric) / first));
        if (countsLosses(scalingRun)) {
            row.add(FigureFormat.show(Metric.LOST_UPDATES.summary(steps.stream()
                    .mapToDouble(step -> step.summary(contender.name(), Metric.LOST_UPDATES))
                    .toArray())));
        }
        return row;
    }

    private static boolean countsLosses(ScalingRun scalingRun) {
        return scalingRun.metrics().contains(Metric.LOST_UPDATES);
    }
}
