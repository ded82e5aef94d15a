package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuartilesTest {
    @Test
    void medianAndQuartilesOfUnsortedNumbers() {
        assertThat(Quartiles.of(5, 1, 4, 2, 3)).isEqualTo(new Quartiles(2, 3, 4));
    }

    @Test
    void quartilesAreInterpolated() {
        assertThat(Quartiles.of(1, 2)).isEqualTo(new Quartiles(1.25, 1.5, 1.75));
    }

    @Test
    void infinityStaysInfinity() {
        double infinity = Double.POSITIVE_INFINITY;
        assertThat(Quartiles.of(infinity, infinity)).isEqualTo(new Quartiles(infinity, infinity, infinity));
    }

    @Test
    void nanIsIgnored() {
        double none = Double.NaN;
        assertThat(Quartiles.of(none, 3, none, 1, 2, none, none)).isEqualTo(Quartiles.of(1, 2, 3));
        assertThat(Metric.OPS.summary(none, 7)).isEqualTo(7);
        assertThat(Metric.LOST_UPDATES.summary(1, none, 2)).isEqualTo(3);
    }

    @Test
    void quartilesOfNoNumbersAreNan() {
        assertThat(Quartiles.of().median()).isNaN();
        assertThat(Quartiles.of(Double.NaN, Double.NaN).median()).isNaN();
        assertThat(Metric.LOST_UPDATES.summary(Double.NaN)).isNaN();
    }
}
