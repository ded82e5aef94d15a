package dev.interlock.bench;

import static dev.interlock.bench.Markup.number;
import static dev.interlock.bench.Markup.percent;

import java.util.List;
import java.util.stream.DoubleStream;

/**
 * One metric of a workload: a bar for each contender, with whiskers for the quartiles of the rounds.
 *
 * <p>Bars start at zero and use a linear scale. Widths are percentages and heights are pixels, so a narrow screen
 * shortens the bars but does not shrink the text.
 */
final class BarChart {
    private static final int ROW = 26;
    private static final double MIDDLE = ROW / 2.0;
    private static final double BAR = 15;
    private static final double CAP = 3.5;

    private final Markup page;
    private final WorkloadResult result;
    private final Metric metric;
    private final double longest;

    BarChart(Markup page, WorkloadResult result) {
        this.page = page;
        this.result = result;
        this.metric = result.workload().metrics().get(0);
        this.longest = result.workload().contenders().stream()
                .flatMapToDouble(
                        one -> DoubleStream.of(figure(one), quartiles(one).upper()))
                .filter(PlotAxis::holds)
                .max()
                .orElse(1);
    }

    void write() {
        List<Contender> contenders = result.workload().contenders();
        int name =
                contenders.stream().mapToInt(one -> one.name().length()).max().orElse(0);
        page.open("div", "class", "bars", "style", "--name:" + name);
        page.open("svg", "role", "img", "height", number(ROW * contenders.size()));
        page.leaf(
                "title",
                metric.heading() + " of each contender in " + result.workload().name());
        for (int i = 0; i < contenders.size(); i++) {
            bar(contenders.get(i), i * ROW + MIDDLE);
        }
        page.close().close();
    }

    private void bar(Contender contender, double middle) {
        double figure = figure(contender);
        Quartiles quartiles = quartiles(contender);
        boolean failed = result.failureOf(contender.name()).isPresent();
        double end = share(figure);
        page.open("g", "class", Palette.of(contender.role()) + (failed ? " failed" : ""));
        page.leaf("title", failed ? contender.name() + " failed" : sentence(contender, figure, quartiles));
        page.leaf("text", contender.name(), "class", "name", "dx", "-10", "y", number(middle), "dy", ".35em");
        if (end > 0) {
            page.empty("rect", "width", percent(end), "height", number(BAR), "y", number(middle - BAR / 2));
        }
        if (quartiles.lower() < quartiles.upper() && Double.isFinite(quartiles.upper())) {
            whisker(share(quartiles.lower()), share(quartiles.upper()), middle);
            end = Math.max(end, share(quartiles.upper()));
        }
        String label = failed ? "FAILED" : FigureFormat.show(figure);
        page.leaf("text", label, "class", "value", "x", percent(end), "dx", "8", "y", number(middle), "dy", ".35em");
        page.close();
    }

    private void whisker(double from, double to, double middle) {
        page.open("g", "class", "whisker");
        line(from, to, middle, middle);
        line(from, from, middle - CAP, middle + CAP);
        line(to, to, middle - CAP, middle + CAP);
        page.close();
    }

    private void line(double x1, double x2, double y1, double y2) {
        page.empty("line", "x1", percent(x1), "x2", percent(x2), "y1", number(y1), "y2", number(y2));
    }

    private String sentence(Contender contender, double figure, Quartiles quartiles) {
        return contender.name() + ": " + FigureFormat.show(figure) + ' ' + metric.heading() + ", quartiles "
                + FigureFormat.show(quartiles.lower()) + " to " + FigureFormat.show(quartiles.upper());
    }

    private double figure(Contender contender) {
        return result.summary(contender.name(), metric);
    }

    private Quartiles quartiles(Contender contender) {
        return Quartiles.of(result.rounds(contender.name(), metric));
    }

    private double share(double figure) {
        return PlotAxis.holds(figure) ? figure / longest : 0;
    }
}
