package dev.interlock.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Writes the result as one self-contained HTML page, without scripts or external files. */
public final class HtmlReport {
    private final Markup page = new Markup();
    private final SuiteResult result;
    private final RunDescription facts;

    private HtmlReport(SuiteResult result, RunDescription facts) {
        this.result = result;
        this.facts = facts;
    }

    /** Returns the whole page. */
    public static String of(SuiteResult result, RunDescription facts) {
        HtmlReport report = new HtmlReport(result, facts);
        report.write();
        return report.page.toString();
    }

    private void write() {
        String name = result.suite().name();
        page.open("html", "lang", "en").open("head");
        page.empty("meta", "charset", "utf-8");
        page.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        page.leaf("title", "Interlock bench: " + name);
        page.open("style").literally(stylesheet()).close();
        page.close().open("body");
        header(name);
        page.open("main");
        goals();
        workloads();
        scalingRuns();
        page.close();
        page.open("footer").open("p").text("Made by ");
        page.leaf("code", facts.command()).text(" at " + facts.at()).close().close();
        page.close().close();
    }

    private static String stylesheet() {
        try (InputStream resource =
                Objects.requireNonNull(HtmlReport.class.getResourceAsStream("report.css"), "report.css is missing")) {
            return new String(resource.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void header(String name) {
        page.open("header").leaf("h1", "Interlock bench: " + name);
        page.leaf(
                "p",
                String.format(
                        Locale.ROOT,
                        "%s%s · %s · %d processors · %s",
                        facts.server().isEmpty() ? "" : facts.server() + " · ",
                        facts.java(),
                        facts.system(),
                        facts.processors(),
                        result.schedule().sentence()),
                "class",
                "facts");
        page.leaf(
                "p",
                "Contenders take turns in every round, so that a slow phase of the computer affects all of them."
                        + " Operations, calls and server time per operation are means of the rounds. p50 is the"
                        + " geometric mean of the rounds, max/min share covers all rounds together, and p99 is that of"
                        + " the middle half of the rounds. Lost updates are summed; all other values are medians."
                        + " Columns “x …” divide the first value by another contender’s, with the quartiles of the"
                        + " rounds in brackets. The last such column is the best peer, if there are peers. p50 and p99"
                        + " are times from the request for a lock until it is held. The page also shows where Interlock"
                        + " is slower, and which contenders failed.");
        result.disturbance().ifPresent(sentence -> page.leaf("p", sentence));
        page.open("ul", "class", "legend");
        role(Contender.Role.OURS, "Interlock");
        role(Contender.Role.FLOOR, "floor: a minimal implementation");
        role(Contender.Role.PEER, "peer: another lock library");
        page.close();
        contents();
        page.close();
    }

    private void role(Contender.Role role, String meaning) {
        page.open("li").open("svg", "class", "swatch " + Palette.of(role), "aria-hidden", "true");
        page.empty("rect", "width", "20", "height", "10", "y", "1").close();
        page.text(meaning).close();
    }

    private void contents() {
        page.open("nav", "aria-label", "Contents");
        result.suite().workloads().forEach(workload -> link(workload.name()));
        result.suite().scalingRuns().forEach(scalingRun -> link(scalingRun.name()));
        page.close();
    }

    private void link(String name) {
        page.leaf("a", name, "href", "#" + name);
    }

    private void goals() {
        List<Goal.Verdict> verdicts = result.verdicts();
        if (!result.isSound()) {
            page.leaf("p", "An Interlock contender failed or lost an update; see below.", "class", "alarm");
        }
        if (verdicts.isEmpty()) {
            return;
        }
        long met = verdicts.stream().filter(Goal.Verdict::met).count();
        page.open("section").leaf("h2", "Goals: " + met + " of " + verdicts.size() + " met");
        page.open("div", "class", "wide")
                .open("table", "class", "goals")
                .open("thead")
                .open("tr");
        List.of("Verdict", "Goal", "Figure").forEach(heading -> page.leaf("th", heading, "scope", "col"));
        page.close().close().open("tbody");
        for (Goal.Verdict verdict : verdicts) {
            page.open("tr", "class", verdict.met() ? "met" : "missed");
            page.leaf("td", verdict.met() ? "✓ met" : "✗ MISSED");
            page.leaf("th", verdict.goal().sentence(), "scope", "row");
            page.leaf("td", FigureFormat.show(verdict.figure())).close();
        }
        page.close().close().close().close();
    }

    private void workloads() {
        if (result.plain().isEmpty()) {
            return;
        }
        page.leaf("h2", "Workloads");
        for (WorkloadResult plain : result.plain()) {
            BenchWorkload workload = plain.workload();
            page.open("section", "id", workload.name());
            page.leaf("h3", workload.name()).leaf("p", workload.title(), "class", "what");
            page.open("figure");
            page.leaf("figcaption", caption(workload.metrics().get(0)) + "; whiskers are quartiles of the rounds");
            new BarChart(page, plain).write();
            page.close();
            TableSection.write(page, ReportTable.of(plain), workload.contenders());
            TableSection.failures(page, plain, "");
            page.close();
        }
    }

    private void scalingRuns() {
        if (result.suite().scalingRuns().isEmpty()) {
            return;
        }
        page.leaf("h2", "Growth");
        Palette palette = new Palette(result);
        result.suite()
                .scalingRuns()
                .forEach(scalingRun -> new ScalingSection(page, scalingRun, result.of(scalingRun), palette).write());
    }

    /** The caption of a chart. */
    static String caption(Metric metric) {
        return metric.heading() + (metric.isBetter(2, 1) ? ", higher is better" : ", lower is better");
    }
}
