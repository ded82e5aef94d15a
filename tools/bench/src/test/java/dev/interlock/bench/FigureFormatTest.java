package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FigureFormatTest {
    @Test
    void readersGetThreeSignificantDigits() {
        assertThat(FigureFormat.show(0.000041238)).isEqualTo("0.0000412");
        assertThat(FigureFormat.show(1.0)).isEqualTo("1");
        assertThat(FigureFormat.show(12.345)).isEqualTo("12.3");
        assertThat(FigureFormat.show(1_234_567)).isEqualTo("1,230,000");
        assertThat(FigureFormat.show(0)).isEqualTo("0");
    }

    @Test
    void nanAndInfinityAreShown() {
        assertThat(FigureFormat.show(Double.NaN)).isEqualTo("-");
        assertThat(FigureFormat.show(Double.POSITIVE_INFINITY)).isEqualTo("inf");
    }

    @Test
    void numbersForScriptsHaveNoGroupingAndNoExponent() {
        assertThat(FigureFormat.write(1_234_567)).isEqualTo("1235000");
        assertThat(FigureFormat.write(0.00001234567)).isEqualTo("0.00001235");
    }
}
