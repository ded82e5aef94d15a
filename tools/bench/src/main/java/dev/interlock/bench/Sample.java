package dev.interlock.bench;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one turn of one contender measured; a metric that could not be measured is not a number. */
public final class Sample {
    private final Map<Metric, Double> figures;
    private final @Nullable Notes notes;

    /** With these figures. */
    public Sample(Map<Metric, Double> figures) {
        this(figures, null);
    }

    /** With what threads noted, besides. */
    Sample(Map<Metric, Double> figures, @Nullable Notes notes) {
        this.figures = new EnumMap<>(Metric.class);
        this.figures.putAll(figures);
        this.notes = notes;
    }

    /** The same with one more figure. */
    Sample with(Metric metric, double figure) {
        Sample more = new Sample(figures, notes);
        more.figures.put(metric, figure);
        return more;
    }

    /** One figure. */
    public double get(Metric metric) {
        return figures.getOrDefault(metric, Double.NaN);
    }

    @Nullable
    Notes notes() {
        return notes;
    }
}
