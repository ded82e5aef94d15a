package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * A logarithmic axis: the same distance is the same ratio. It has no place for zero, for what is negative and for what is no number.
 *
 * @param low where it begins
 * @param high where it ends, further up
 */
record Axis(double low, double high) {
    private static final int[] LEADING_DIGITS = {1, 2, 5};
    private static final double THOUSAND = 1e3;
    private static final double MILLION = 1e6;
    private static final double BILLION = 1e9;

    /** Whether a number has a place on such an axis. */
    static boolean holds(double number) {
        return number > 0 && Double.isFinite(number);
    }

    /** From the least of these numbers to the greatest; one alone is in the middle. */
    static Axis from(double... numbers) {
        double least = held(numbers).min().orElse(1);
        double greatest = held(numbers).max().orElse(1);
        return least < greatest ? new Axis(least, greatest) : new Axis(least / 2, greatest * 2);
    }

    /** From a round number below these to a round one above. */
    static Axis around(double... numbers) {
        Axis exact = from(numbers);
        List<Double> round = round(exact.low, exact.high);
        return new Axis(
                round.stream().filter(one -> one <= exact.low).reduce(exact.low, (one, next) -> next),
                round.stream().filter(one -> one >= exact.high).findFirst().orElse(exact.high));
    }

    private static DoubleStream held(double... numbers) {
        return DoubleStream.of(numbers).filter(Axis::holds);
    }

    /** Where a number is: 0 at the beginning, 1 at the end. */
    double share(double number) {
        return Math.log(number / low) / Math.log(high / low);
    }

    /** Round numbers on this axis, from low to high: 1, 2, 5 and so on if no more of them are wanted, else powers of ten. */
    List<Double> ticks(int most) {
        List<Double> all = round(low, high).stream()
                .filter(one -> one >= low && one <= high)
                .toList();
        if (all.size() <= most) {
            return all;
        }
        List<Double> powers = all.stream().filter(Axis::isPowerOfTen).toList();
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
        return round.stream().filter(Axis::holds).toList();
    }

    /** Parsed, since Math.pow would give 0.30000000000000004 where 0.3 is meant. */
    private static double decimal(int digit, int exponent) {
        return Double.parseDouble(digit + "e" + exponent);
    }

    /** A number as short as it fits beside an axis: 500, 1k, 20k, 5M. */
    static String label(double number) {
        if (number >= BILLION) {
            return Figures.show(number / BILLION) + 'G';
        }
        if (number >= MILLION) {
            return Figures.show(number / MILLION) + 'M';
        }
        return number >= THOUSAND ? Figures.show(number / THOUSAND) + 'k' : Figures.show(number);
    }
}
