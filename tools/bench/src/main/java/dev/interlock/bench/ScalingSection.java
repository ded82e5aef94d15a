package dev.interlock.bench;

import java.util.List;
import java.util.Locale;

/** A scaling run on the page: a large plot of its first metric, small plots of the others, and a table of the first. */
final class ScalingSection {
    private final Markup page;
    private final ScalingRun scalingRun;
    private final List<WorkloadResult> steps;
    private final Palette palette;

    ScalingSection(Markup page, ScalingRun scalingRun, List<WorkloadResult> steps, Palette palette) {
        this.page = page;
        this.scalingRun = scalingRun;
        this.steps = steps;
        this.palette = palette;
    }

    void write() {
        Metric first = scalingRun.metrics().get(0);
        page.open("section", "id", scalingRun.name());
        page.leaf("h3", scalingRun.name()).leaf("p", scalingRun.title(), "class", "what");
        figure(first, LinePlot.Detail.LARGE);
        legend();
        page.open("div", "class", "multiples");
        scalingRun.metrics().stream().skip(1).forEach(metric -> figure(metric, LinePlot.Detail.SMALL));
        page.close();
        page.leaf("p", first.heading() + " by number of " + scalingRun.axis(), "class", "what");
        TableSection.write(page, ReportTable.of(scalingRun, steps), scalingRun.contenders());
        for (int i = 0; i < steps.size(); i++) {
            int size = scalingRun.steps().get(i).size();
            TableSection.failures(
                    page, steps.get(i), String.format(Locale.ROOT, " at %,d %s", size, scalingRun.axis()));
        }
        page.close();
    }

    private void figure(Metric metric, LinePlot.Detail detail) {
        LinePlot plot = new LinePlot(page, scalingRun, steps, metric, palette, detail);
        if (plot.isEmpty()) {
            return;
        }
        page.open("figure");
        String axes = detail == LinePlot.Detail.LARGE
                ? "; by number of " + scalingRun.axis() + ", both axes logarithmic"
                : "";
        page.leaf("figcaption", HtmlReport.caption(metric) + axes);
        plot.write();
        page.close();
    }

    private void legend() {
        page.open("ul", "class", "legend");
        for (Contender contender : scalingRun.contenders()) {
            page.open("li").open("svg", "class", "swatch line " + palette.of(contender), "aria-hidden", "true");
            page.empty("polyline", "points", "0,6 24,6").empty("circle", "cx", "12", "cy", "6", "r", "3.5");
            page.close().text(contender.name()).close();
        }
        page.close();
    }
}
