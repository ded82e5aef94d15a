package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuartilesTest {
    @Test
    void middleAndQuartilesOfNumbersInAnyOrder() {
        assertThat(Quartiles.of(5, 1, 4, 2, 3)).isEqualTo(new Quartiles(2, 3, 4));
    }

    @Test
    void betweenTwoNumbersTheyAreInterpolated() {
        assertThat(Quartiles.of(1, 2)).isEqualTo(new Quartiles(1.25, 1.5, 1.75));
    }

    @Test
    void infinityStaysInfinity() {
        double infinity = Double.POSITIVE_INFINITY;
        assertThat(Quartiles.of(infinity, infinity)).isEqualTo(new Quartiles(infinity, infinity, infinity));
    }

    @Test
    void noNumbersGiveNone() {
        assertThat(Quartiles.of().median()).isNaN();
    }
}
