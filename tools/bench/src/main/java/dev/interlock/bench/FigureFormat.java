package dev.interlock.bench;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Formats numbers: three significant digits for readers; four digits and no grouping for scripts. */
final class FigureFormat {
    private FigureFormat() {}

    /** For readers. */
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

    /** For scripts. Finite numbers only. */
    static String write(double number) {
        return round(number, 4).toPlainString();
    }

    private static BigDecimal round(double number, int digits) {
        BigDecimal rounded =
                BigDecimal.valueOf(number).round(new MathContext(digits)).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
    }
}
