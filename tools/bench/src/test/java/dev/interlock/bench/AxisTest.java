package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class AxisTest {
    @Test
    void beginsAndEndsAtRoundNumbers() {
        assertThat(Axis.around(30, 4_400)).isEqualTo(new Axis(20, 5_000));
        assertThat(Axis.around(0.0013, 0.09)).isEqualTo(new Axis(0.001, 0.1));
        assertThat(Axis.around(20, 5_000)).isEqualTo(new Axis(20, 5_000));
    }

    @Test
    void ticksAreOneTwoFiveWhileTheyAreFew() {
        assertThat(new Axis(20, 1_000).ticks(8)).containsExactly(20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0);
        assertThat(new Axis(0.2, 1).ticks(8)).containsExactly(0.2, 0.5, 1.0);
    }

    @Test
    void ticksArePowersOfTenWhenThereAreMany() {
        assertThat(new Axis(20, 50_000).ticks(8)).containsExactly(100.0, 1_000.0, 10_000.0);
        assertThat(new Axis(0.001, 10_000).ticks(4)).containsExactly(0.001, 0.1, 10.0, 1_000.0);
    }

    @Test
    void sameRatioIsSameDistance() {
        Axis axis = new Axis(10, 1_000);

        assertThat(axis.share(10)).isZero();
        assertThat(axis.share(100)).isCloseTo(0.5, within(1e-9));
        assertThat(axis.share(1_000)).isEqualTo(1);
    }

    @Test
    void oneNumberIsInTheMiddle() {
        assertThat(Axis.from(7).share(7)).isCloseTo(0.5, within(1e-9));
        assertThat(Axis.around(100, 100).ticks(8)).containsExactly(50.0, 100.0, 200.0);
    }

    @Test
    void numbersWithoutAPlaceAreLeftOut() {
        double[] numbers = {Double.NaN, 0, -3, Double.POSITIVE_INFINITY, 3, 30};

        assertThat(Axis.from(numbers)).isEqualTo(new Axis(3, 30));
        assertThat(Axis.around(Double.NaN, 0).low()).isPositive();
        assertThat(Axis.around(Double.MIN_VALUE, Double.MAX_VALUE).ticks(8)).isNotEmpty();
    }

    @Test
    void labelsAreShort() {
        assertThat(Axis.label(0.002)).isEqualTo("0.002");
        assertThat(Axis.label(500)).isEqualTo("500");
        assertThat(Axis.label(20_000)).isEqualTo("20k");
        assertThat(Axis.label(1_000_000)).isEqualTo("1M");
        assertThat(Axis.label(5e9)).isEqualTo("5G");
    }
}
