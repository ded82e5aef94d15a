package dev.interlock.bench;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Numbers as text: for people with three digits that count, for scripts with four and no grouping. */
final class Figures {
    private Figures() {}

    /** For people. */
    static String show(double number) {
        if (Double.isNaN(number)) {
            return "-";
        }
        if (Double.isInfinite(number)) {
            return "inf";
        }
        BigDecimal rounded = round(number, 3);
        return Math.abs(number) >= 1000
                ? String.format(Locale.ROOT, "%,d", rounded.longValue())
                : rounded.toPlainString();
    }

    /** For scripts; finite numbers only. */
    static String write(double number) {
        return round(number, 4).toPlainString();
    }

    private static BigDecimal round(double number, int digits) {
        BigDecimal rounded =
                BigDecimal.valueOf(number).round(new MathContext(digits)).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
    }
}
