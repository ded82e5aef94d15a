package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * A logarithmic axis. It has no place for zero, negative numbers and NaN.
 *
 * @param low the lower end
 * @param high the upper end
 */
record PlotAxis(double low, double high) {
    private static final int[] LEADING_DIGITS = {1, 2, 5};
    private static final double THOUSAND = 1e3;
    private static final double MILLION = 1e6;
    private static final double BILLION = 1e9;

    /** Whether a number has a place on a logarithmic axis. */
    static boolean holds(double number) {
        return number > 0 && Double.isFinite(number);
    }

    /** An axis from the smallest to the largest of these numbers. A single number is in the middle. */
    static PlotAxis from(double... numbers) {
        double least = held(numbers).min().orElse(1);
        double greatest = held(numbers).max().orElse(1);
        return least < greatest ? new PlotAxis(least, greatest) : new PlotAxis(least / 2, greatest * 2);
    }

    /** An axis whose ends are round numbers around these. */
    static PlotAxis around(double... numbers) {
        PlotAxis exact = from(numbers);
        List<Double> round = round(exact.low, exact.high);
        return new PlotAxis(
                round.stream().filter(one -> one <= exact.low).reduce(exact.low, (one, next) -> next),
                round.stream().filter(one -> one >= exact.high).findFirst().orElse(exact.high));
    }

    private static DoubleStream held(double... numbers) {
        return DoubleStream.of(numbers).filter(PlotAxis::holds);
    }

    /** The position of a number: 0 at the lower end, 1 at the upper end. */
    double share(double number) {
        return Math.log(number / low) / Math.log(high / low);
    }

    /** Round numbers on this axis, ascending: 1, 2, 5 and so on if they are few enough, else powers of ten. */
    List<Double> ticks(int most) {
        List<Double> all = round(low, high).stream()
                .filter(one -> one >= low && one <= high)
                .toList();
        if (all.size() <= most) {
            return all;
        }
        List<Double> powers = all.stream().filter(PlotAxis::isPowerOfTen).toList();
        int stride = (powers.size() + most - 1) / most;
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; i < powers.size(); i += stride) {
            ticks.add(powers.get(i));
        }
        return ticks;
    }

    private static boolean isPowerOfTen(double number) {
        return number == decimal(1, (int) Math.rint(Math.log10(number)));
    }

    /** All of 1, 2, 5, 10 and so on between two numbers, and a few around them. */
    private static List<Double> round(double low, double high) {
        List<Double> round = new ArrayList<>();
        int last = (int) Math.ceil(Math.log10(high));
        for (int exponent = (int) Math.floor(Math.log10(low)); exponent <= last; exponent++) {
            for (int digit : LEADING_DIGITS) {
                round.add(decimal(digit, exponent));
            }
        }
        return round.stream().filter(PlotAxis::holds).toList();
    }

    /** Parsed from text, because Math.pow would return 0.30000000000000004 for 0.3. */
    private static double decimal(int digit, int exponent) {
        return Double.parseDouble(digit + "e" + exponent);
    }

    /** A short label for an axis: 500, 1k, 20k, 5M. */
    static String label(double number) {
        if (number >= BILLION) {
            return FigureFormat.show(number / BILLION) + 'G';
        }
        if (number >= MILLION) {
            return FigureFormat.show(number / MILLION) + 'M';
        }
        return number >= THOUSAND ? FigureFormat.show(number / THOUSAND) + 'k' : FigureFormat.show(number);
    }
}
