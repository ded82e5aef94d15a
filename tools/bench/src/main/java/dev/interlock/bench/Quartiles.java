package dev.interlock.bench;

import java.util.Arrays;
import java.util.stream.DoubleStream;

/** The median and the quartiles of some numbers; NaN if there are none. NaN values are ignored. */
public record Quartiles(double lower, double median, double upper) {
    /** Computes them for numbers in any order. */
    public static Quartiles of(double... numbers) {
        double[] sorted = DoubleStream.of(numbers)
                .filter(number -> !Double.isNaN(number))
                .sorted()
                .toArray();
        return new Quartiles(at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75));
    }

    /** The mean without the smallest and the largest quarter of the numbers. */
    static double meanOfMiddleHalf(double... numbers) {
        double[] sorted = DoubleStream.of(numbers).sorted().toArray();
        int outside = sorted.length / 4;
        return Arrays.stream(sorted, outside, sorted.length - outside).average().orElse(Double.NaN);
    }

    private static double at(double[] sorted, double share) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        double rank = share * (sorted.length - 1);
        int below = (int) Math.floor(rank);
        int above = (int) Math.ceil(rank);
        double low = sorted[below];
        // Not low + (high - low) * …, which is NaN if both are infinite.
        return below == above || low == sorted[above] ? low : low + (sorted[above] - low) * (rank - below);
    }
}
