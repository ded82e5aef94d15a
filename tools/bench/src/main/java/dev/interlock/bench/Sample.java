package dev.interlock.bench;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values that one contender measured in one turn. A metric that was not measured is NaN. */
public final class Sample {
    private final Map<Metric, Double> figures;
    private final @Nullable ThreadMeasurements measurements;

    /** A sample with these values. */
    public Sample(Map<Metric, Double> figures) {
        this(figures, null);
    }

    /** A sample with the measurements of its threads. */
    Sample(Map<Metric, Double> figures, @Nullable ThreadMeasurements measurements) {
        this.figures = new EnumMap<>(Metric.class);
        this.figures.putAll(figures);
        this.measurements = measurements;
    }

    /** A copy with one more value. */
    Sample with(Metric metric, double figure) {
        Sample more = new Sample(figures, measurements);
        more.figures.put(metric, figure);
        return more;
    }

    /** Returns one value. */
    public double get(Metric metric) {
        return figures.getOrDefault(metric, Double.NaN);
    }

    @Nullable
    ThreadMeasurements measurements() {
        return measurements;
    }
}
