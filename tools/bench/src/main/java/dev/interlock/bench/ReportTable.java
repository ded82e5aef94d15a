package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Figures as text in rows and columns, for reports to lay out.
 *
 * @param headings one for each column; the first one is empty
 * @param rows a contender in each, in their order: its name, then what it measured
 */
record ReportTable(List<String> headings, List<List<String>> rows) {
    /** All metrics of a workload, and the first one divided by that of others. */
    static ReportTable of(WorkloadResult result) {
        Workload workload = result.workload();
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

    /** The first metric of a growth in all sizes, how many times the last one is the first, and what was lost in all of them. */
    static ReportTable of(Growth growth, List<WorkloadResult> steps) {
        List<String> headings = new ArrayList<>(List.of(""));
        growth.steps().forEach(step -> headings.add(String.format(Locale.ROOT, "%,d", step.size())));
        headings.add("last / first");
        if (countsLosses(growth)) {
            headings.add(Metric.LOST_UPDATES.heading());
        }
        return new ReportTable(
                headings,
                growth.contenders().stream()
                        .map(contender -> row(growth, steps, contender))
                        .toList());
    }

    /** The floors, and of the peers the best: a column for each of them would not fit on a screen. */
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
            row.add(Figures.show(result.summary(contender.name(), metric)));
        }
        for (String other : others) {
            Quartiles ratio = result.ratio(metrics.get(0), contender.name(), other);
            row.add(
                    other.equals(others.get(0)) && !other.equals(contender.name())
                            ? show(ratio)
                            : Figures.show(ratio.median()));
        }
        return row;
    }

    private static String show(Quartiles ratio) {
        return Double.isNaN(ratio.median())
                ? Figures.show(Double.NaN)
                : Figures.show(ratio.median()) + " (" + Figures.show(ratio.lower()) + "-" + Figures.show(ratio.upper())
                        + ")";
    }

    private static List<String> row(Growth growth, List<WorkloadResult> steps, Contender contender) {
        Metric metric = growth.metrics().get(0);
        List<String> row = new ArrayList<>(List.of(contender.name()));
        steps.forEach(step -> row.add(Figures.show(step.summary(contender.name(), metric))));
        double first = steps.get(0).summary(contender.name(), metric);
        row.add(Figures.show(steps.get(steps.size() - 1).summary(contender.name(), metric) / first));
        if (countsLosses(growth)) {
            row.add(Figures.show(Metric.LOST_UPDATES.summary(steps.stream()
                    .mapToDouble(step -> step.summary(contender.name(), Metric.LOST_UPDATES))
                    .toArray())));
        }
        return row;
    }

    private static boolean countsLosses(Growth growth) {
        return growth.metrics().contains(Metric.LOST_UPDATES);
    }
}
