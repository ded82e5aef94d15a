package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FiguresTest {
    @Test
    void peopleGetThreeDigitsThatCount() {
        assertThat(Figures.show(0.000041238)).isEqualTo("0.0000412");
        assertThat(Figures.show(1.0)).isEqualTo("1");
        assertThat(Figures.show(12.345)).isEqualTo("12.3");
        assertThat(Figures.show(1_234_567)).isEqualTo("1,230,000");
        assertThat(Figures.show(0)).isEqualTo("0");
    }

    @Test
    void whatIsNoNumberIsShownAsSuch() {
        assertThat(Figures.show(Double.NaN)).isEqualTo("-");
        assertThat(Figures.show(Double.POSITIVE_INFINITY)).isEqualTo("inf");
    }

    @Test
    void scriptsGetNoGroupingAndNoExponent() {
        assertThat(Figures.write(1_234_567)).isEqualTo("1235000");
        assertThat(Figures.write(0.00001234567)).isEqualTo("0.00001235");
    }
}
