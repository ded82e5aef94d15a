package dev.interlock.bench;

import java.util.EnumMap;
import java.util.Map;

/** What one turn of one contender measured; a metric that could not be measured is not a number. */
public record Sample(Map<Metric, Double> figures) {
    /** Copies the figures. */
    public Sample {
        figures = new EnumMap<>(figures);
    }

    /** One figure. */
    public double get(Metric metric) {
        return figures.getOrDefault(metric, Double.NaN);
    }
}
