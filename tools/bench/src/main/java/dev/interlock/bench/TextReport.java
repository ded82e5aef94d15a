package dev.interlock.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Writes the result as tables for readers, followed by lines for scripts.
 *
 * <p>Plain ASCII, which every terminal and file can show.
 */
public final class TextReport {
    private final PrintWriter out;

    /** Writes to this writer. */
    public TextReport(PrintWriter out) {
        this.out = out;
    }

    /** Writes the whole report. */
    public void write(SuiteResult result) {
        Schedule schedule = result.schedule();
        out.printf(
                Locale.ROOT,
                "Suite %s on Java %s, %d processors%n",
                result.suite().name(),
                Runtime.version(),
                Runtime.getRuntime().availableProcessors());
        out.printf(
                Locale.ROOT,
                "%s. Contenders take turns.%n"
                        + "Operations, calls and server time per operation are means of the rounds, p50 is their"
                        + " geometric mean,%n"
                        + "max/min share covers all rounds, p99 is that of the middle half of the rounds, lost updates"
                        + " are summed,%n"
                        + "and all other values are medians. p50 and p99 are times from the request for a lock until it"
                        + " is held.%n"
                        + "Columns \"x ...\" divide the first value by another contender's, with the quartiles of the"
                        + " rounds in%n"
                        + "brackets. The last such column is the best peer, if there are peers.%n",
                schedule.sentence());
        result.disturbance().ifPresent(out::println);
        result.plain().forEach(this::table);
        result.suite().scalingRuns().forEach(scalingRun -> scalingRun(scalingRun, result.of(scalingRun)));
        goals(result);
        out.println();
        List<SuiteResult.Ratio> ratios = result.ratios();
        ratios.forEach(ratio -> out.println(ratio.line()));
        ratios.stream().filter(ratio -> !ratio.sure()).forEach(ratio -> out.println("UNSURE " + ratio.name()));
        result.values().stream()
                .filter(value -> !value.metric().isCompared())
                .forEach(value -> out.println(value.line()));
        out.flush();
    }

    private void table(WorkloadResult result) {
        BenchWorkload workload = result.workload();
        out.println();
        out.println(workload.name() + ": " + workload.title());
        print(ReportTable.of(result));
        failures(result, "");
    }

    private void failures(WorkloadResult result, String where) {
        for (Contender contender : result.workload().contenders()) {
            result.failureOf(contender.name())
                    .ifPresent(why -> out.println("  " + contender.name() + where + " FAILED: " + why));
        }
    }

    /** Prints the first metric at all sizes, and the lost updates. The JSON and HTML files have the other metrics. */
    private void scalingRun(ScalingRun scalingRun, List<WorkloadResult> steps) {
        Metric metric = scalingRun.metrics().get(0);
        out.println();
        out.println(scalingRun.name() + ": " + scalingRun.title() + "; " + metric.heading() + " by number of "
                + scalingRun.axis());
        print(ReportTable.of(scalingRun, steps));
        steps.forEach(step -> failures(step, " at " + step.workload().name()));
    }

    private void print(ReportTable table) {
        List<List<String>> rows = new ArrayList<>(List.of(table.headings()));
        rows.addAll(table.rows());
        align(rows).forEach(out::println);
    }

    private void goals(SuiteResult result) {
        List<Goal.Verdict> verdicts = result.verdicts();
        if (verdicts.isEmpty()) {
            return;
        }
        out.println();
        out.println("Goals");
        List<List<String>> rows = new ArrayList<>();
        for (Goal.Verdict verdict : verdicts) {
            rows.add(List.of(
                    (verdict.met() ? "met     " : "MISSED  ") + verdict.goal().sentence(),
                    FigureFormat.show(verdict.figure())));
        }
        align(rows).forEach(out::println);
    }

    /** Aligns the first column to the left and the others to the right. */
    private static List<String> align(List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> align(row, widths)).toList();
    }

    private static String align(List<String> row, int... widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String padding = " ".repeat(widths[i] - row.get(i).length());
            line.append("  ").append(i == 0 ? row.get(i) + padding : padding + row.get(i));
        }
        return line.toString().stripTrailing();
    }
}
