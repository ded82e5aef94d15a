package dev.interlock.bench;

import static dev.interlock.bench.Markup.number;
import static dev.interlock.bench.Markup.percent;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One metric of a scaling run: a line per contender, with logarithmic axes.
 *
 * <p>A step without a value is a gap in the line. As in {@link BarChart}, x is a fraction of the width and y is in
 * pixels.
 */
final class LinePlot {
    private static final double LABEL_GAP = 15;
    private static final double MARK = 3.5;

    private final Markup page;
    private final ScalingRun scalingRun;
    private final Metric metric;
    private final Palette palette;
    private final Detail detail;
    private final PlotAxis sizes;
    private final PlotAxis figures;
    private final List<Line> lines;

    /** The level of detail. */
    enum Detail {
        /** The main plot. */
        LARGE(300, 8),
        /** One of several small plots, without labels at the lines. */
        SMALL(120, 5);

        private final int height;
        private final int mostTicks;

        Detail(int height, int mostTicks) {
            this.height = height;
            this.mostTicks = mostTicks;
        }
    }

    /** A value and its position: x from 0 to 1, y in pixels from the top. */
    private record Point(double x, double y, int size, double figure) {}

    /** The points of a contender, split at gaps. No part is empty. */
    private record Line(Contender contender, List<List<Point>> runs) {
        Point last() {
            List<Point> run = runs.get(runs.size() - 1);
            return run.get(run.size() - 1);
        }
    }

    LinePlot(
            Markup page,
            ScalingRun scalingRun,
            List<WorkloadResult> steps,
            Metric metric,
            Palette palette,
            Detail detail) {
        this.page = page;
        this.scalingRun = scalingRun;
        this.metric = metric;
        this.palette = palette;
        this.detail = detail;
        this.sizes = PlotAxis.from(
                scalingRun.steps().stream().mapToDouble(ScalingRun.Step::size).toArray());
        this.figures = PlotAxis.around(scalingRun.contenders().stream()
                .flatMapToDouble(
                        contender -> steps.stream().mapToDouble(step -> step.summary(contender.name(), metric)))
                .toArray());
        this.lines = scalingRun.contenders().stream()
                .map(contender -> new Line(contender, runs(contender, steps)))
                .filter(line -> !line.runs.isEmpty())
                .toList();
    }

    private List<List<Point>> runs(Contender contender, List<WorkloadResult> steps) {
        List<List<Point>> runs = new ArrayList<>();
        boolean gap = true;
        for (int i = 0; i < steps.size(); i++) {
            int size = scalingRun.steps().get(i).size();
            double figure = steps.get(i).summary(contender.name(), metric);
            boolean missing = !PlotAxis.holds(figure) || !PlotAxis.holds(size);
            if (!missing && gap) {
                runs.add(new ArrayList<>());
            }
            if (!missing) {
                runs.get(runs.size() - 1).add(new Point(sizes.share(size), y(figure), size, figure));
            }
            gap = missing;
        }
        return runs;
    }

    private double y(double figure) {
        return (1 - figures.share(figure)) * detail.height;
    }

    /** Whether no contender has a value that fits on these axes. */
    boolean isEmpty() {
        return lines.isEmpty();
    }

    void write() {
        int label = lines.stream()
                .mapToInt(line -> line.contender.name().length())
                .max()
                .orElse(0);
        page.open("div", "class", "lines " + detail.name().toLowerCase(Locale.ROOT), "style", "--name:" + label);
        page.open("svg", "role", "img", "height", number(detail.height));
        page.leaf("title", metric.heading() + " by number of " + scalingRun.axis() + ", one line per contender");
        grid();
        // Interlock is drawn last, on top of the others.
        lines.stream()
                .sorted(Comparator.comparing((Line line) -> line.contender.isOurs()))
                .forEach(this::line);
        if (detail == Detail.LARGE) {
            labels();
        }
        page.close().close();
    }

    private void grid() {
        page.open("g", "class", "grid");
        for (double tick : figures.ticks(detail.mostTicks)) {
            String y = number(y(tick));
            page.empty("line", "x2", "100%", "y1", y, "y2", y);
            page.leaf("text", PlotAxis.label(tick), "class", "name", "dx", "-10", "y", y, "dy", ".35em");
        }
        for (ScalingRun.Step step : scalingRun.steps()) {
            if (PlotAxis.holds(step.size())) {
                String x = percent(sizes.share(step.size()));
                page.empty("line", "x1", x, "x2", x, "y2", number(detail.height));
                page.leaf("text", PlotAxis.label(step.size()), "x", x, "y", number(detail.height), "dy", "1.7em");
            }
        }
        page.close();
    }

    private void line(Line line) {
        page.open("g", "class", "line " + palette.of(line.contender), "data-contender", line.contender.name());
        // A polyline needs plain numbers for x. This view box stretches them to the width; the stylesheet keeps the
        // stroke width.
        page.open(
                "svg",
                "width",
                "100%",
                "height",
                number(detail.height),
                "viewBox",
                "0 0 100 " + detail.height,
                "preserveAspectRatio",
                "none");
        for (List<Point> run : line.runs) {
            if (run.size() > 1) {
                page.empty(
                        "polyline",
                        "points",
                        run.stream()
                                .map(point -> number(point.x * 100) + ',' + number(point.y))
                                .collect(Collectors.joining(" ")));
            }
        }
        page.close();
        line.runs.forEach(run -> run.forEach(point -> mark(line.contender, point)));
        page.close();
    }

    private void mark(Contender contender, Point point) {
        page.open("circle", "cx", percent(point.x), "cy", number(point.y), "r", number(MARK));
        page.leaf(
                "title",
                String.format(
                        Locale.ROOT,
                        "%s at %,d %s: %s %s",
                        contender.name(),
                        point.size,
                        scalingRun.axis(),
                        FigureFormat.show(point.figure),
                        metric.heading()));
        page.close();
    }

    private void labels() {
        List<Line> down = lines.stream()
                .sorted(Comparator.comparingDouble(line -> line.last().y))
                .toList();
        double[] places = LabelColumn.place(
                down.stream().mapToDouble(line -> line.last().y).toArray(), LABEL_GAP, detail.height);
        IntStream.range(0, places.length).forEach(i -> label(down.get(i), places[i]));
    }

    /** The label of a line that ends early is also at the right edge, where there is room. */
    private void label(Line line, double place) {
        Point last = line.last();
        page.open("g", "class", "label " + palette.of(line.contender));
        double from = last.x < 1 ? place : last.y;
        if (last.x < 1) {
            page.empty(
                    "line",
                    "class",
                    "ended",
                    "x1",
                    percent(last.x),
                    "y1",
                    number(last.y),
                    "x2",
                    "100%",
                    "y2",
                    number(place));
        }
        page.open("svg", "x", "100%");
        page.empty("path", "d", "M8 " + number(from) + "L20 " + number(place));
        page.leaf("text", line.contender.name(), "x", "25", "y", number(place), "dy", ".35em");
        page.close().close();
    }
}
