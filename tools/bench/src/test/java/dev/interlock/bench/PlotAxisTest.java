package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PlotAxisTest {
    @Test
    void axisEndsAreRoundNumbers() {
        assertThat(PlotAxis.around(30, 4_400)).isEqualTo(new PlotAxis(20, 5_000));
        assertThat(PlotAxis.around(0.0013, 0.09)).isEqualTo(new PlotAxis(0.001, 0.1));
        assertThat(PlotAxis.around(20, 5_000)).isEqualTo(new PlotAxis(20, 5_000));
    }

    @Test
    void ticksAreOneTwoFiveWhileTheyAreFew() {
        assertThat(new PlotAxis(20, 1_000).ticks(8)).containsExactly(20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0);
        assertThat(new PlotAxis(0.2, 1).ticks(8)).containsExactly(0.2, 0.5, 1.0);
    }

    @Test
    void ticksArePowersOfTenWhenThereAreMany() {
        assertThat(new PlotAxis(20, 50_000).ticks(8)).containsExactly(100.0, 1_000.0, 10_000.0);
        assertThat(new PlotAxis(0.001, 10_000).ticks(4)).containsExactly(0.001, 0.1, 10.0, 1_000.0);
    }

    @Test
    void equalRatiosHaveEqualDistances() {
        PlotAxis axis = new PlotAxis(10, 1_000);

        assertThat(axis.share(10)).isZero();
        assertThat(axis.share(100)).isCloseTo(0.5, within(1e-9));
        assertThat(axis.share(1_000)).isEqualTo(1);
    }

    @Test
    void singleNumberIsInTheMiddle() {
        assertThat(PlotAxis.from(7).share(7)).isCloseTo(0.5, within(1e-9));
        assertThat(PlotAxis.around(100, 100).ticks(8)).containsExactly(50.0, 100.0, 200.0);
    }

    @Test
    void numbersThatDoNotFitAreLeftOut() {
        double[] numbers = {Double.NaN, 0, -3, Double.POSITIVE_INFINITY, 3, 30};

        assertThat(PlotAxis.from(numbers)).isEqualTo(new PlotAxis(3, 30));
        assertThat(PlotAxis.around(Double.NaN, 0).low()).isPositive();
        assertThat(PlotAxis.around(Double.MIN_VALUE, Double.MAX_VALUE).ticks(8)).isNotEmpty();
    }

    @Test
    void labelsAreShort() {
        assertThat(PlotAxis.label(0.002)).isEqualTo("0.002");
        assertThat(PlotAxis.label(500)).isEqualTo("500");
        assertThat(PlotAxis.label(20_000)).isEqualTo("20k");
        assertThat(PlotAxis.label(1_000_000)).isEqualTo("1M");
        assertThat(PlotAxis.label(5e9)).isEqualTo("5G");
    }
}
