package dev.interlock.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The result as tables for people, followed by lines for scripts.
 *
 * <p>Plain ASCII: it must look right in any terminal and in any file.
 */
public final class TextReport {
    private final PrintWriter out;

    /** Writes there. */
    public TextReport(PrintWriter out) {
        this.out = out;
    }

    /** Writes everything. */
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
                "%d rounds of %s s, contenders in turn. Figures are medians of the rounds; p50 and p99 are times from%n"
                        + "asking for a lock to holding it. The columns \"x ...\" divide the first figure by another's, within%n"
                        + "a round; quartiles stand in brackets. The last of them is the best peer, if there are peers.%n",
                schedule.rounds(),
                Figures.show(schedule.turn().toNanos() / 1e9));
        result.workloads().forEach(this::table);
        goals(result);
        out.println();
        result.ratios().forEach(ratio -> out.println(ratio.line()));
        result.values().stream()
                .filter(value -> !value.metric().isCompared())
                .forEach(value -> out.println(value.line()));
        out.flush();
    }

    private void table(WorkloadResult result) {
        Workload workload = result.workload();
        out.println();
        out.println(workload.name() + ": " + workload.title());
        List<String> others = comparedWith(result);
        List<List<String>> rows = new ArrayList<>();
        rows.add(headings(workload, others));
        workload.contenders().forEach(contender -> rows.add(row(result, contender, others)));
        align(rows).forEach(out::println);
        for (Contender contender : workload.contenders()) {
            result.failureOf(contender.name())
                    .ifPresent(why -> out.println("  " + contender.name() + " FAILED: " + why));
        }
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

    private static List<String> headings(Workload workload, List<String> others) {
        List<String> headings = new ArrayList<>(List.of(""));
        workload.metrics().forEach(metric -> headings.add(metric.heading()));
        others.forEach(other -> headings.add("x " + other));
        return headings;
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
                    Figures.show(verdict.figure())));
        }
        align(rows).forEach(out::println);
    }

    /** The first column to the left, the others to the right. */
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
