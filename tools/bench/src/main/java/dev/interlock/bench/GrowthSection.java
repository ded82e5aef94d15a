package dev.interlock.bench;

import java.util.List;
import java.util.Locale;

/** A growth on the page: a plot of its first metric, small ones of the others, and the first one in figures. */
final class GrowthSection {
    private final Markup page;
    private final Growth growth;
    private final List<WorkloadResult> steps;
    private final Palette palette;

    GrowthSection(Markup page, Growth growth, List<WorkloadResult> steps, Palette palette) {
        this.page = page;
        this.growth = growth;
        this.steps = steps;
        this.palette = palette;
    }

    void write() {
        Metric first = growth.metrics().get(0);
        page.open("section", "id", growth.name());
        page.leaf("h3", growth.name()).leaf("p", growth.title(), "class", "what");
        figure(first, LinePlot.Detail.LARGE);
        legend();
        page.open("div", "class", "multiples");
        growth.metrics().stream().skip(1).forEach(metric -> figure(metric, LinePlot.Detail.SMALL));
        page.close();
        page.leaf("p", first.heading() + " by number of " + growth.axis(), "class", "what");
        TableSection.write(page, ReportTable.of(growth, steps), growth.contenders());
        for (int i = 0; i < steps.size(); i++) {
            int size = growth.steps().get(i).size();
            TableSection.failures(page, steps.get(i), String.format(Locale.ROOT, " at %,d %s", size, growth.axis()));
        }
        page.close();
    }

    private void figure(Metric metric, LinePlot.Detail detail) {
        LinePlot plot = new LinePlot(page, growth, steps, metric, palette, detail);
        if (plot.isEmpty()) {
            return;
        }
        page.open("figure");
        String axes =
                detail == LinePlot.Detail.LARGE ? "; by number of " + growth.axis() + ", both axes logarithmic" : "";
        page.leaf("figcaption", HtmlReport.caption(metric) + axes);
        plot.write();
        page.close();
    }

    private void legend() {
        page.open("ul", "class", "legend");
        for (Contender contender : growth.contenders()) {
            page.open("li").open("svg", "class", "swatch line " + palette.of(contender), "aria-hidden", "true");
            page.empty("polyline", "points", "0,6 24,6").empty("circle", "cx", "12", "cy", "6", "r", "3.5");
            page.close().text(contender.name()).close();
        }
        page.close();
    }
}
