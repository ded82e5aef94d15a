package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StolenTimeTest {
    @Test
    void partIsThatOfAllProcessorsSinceTheEarlierMoment() {
        StolenTime before = StolenTime.of("cpu  58684 0 14962 62425 477 0 1795 4173 0 0");
        StolenTime after = StolenTime.of("cpu  58690 0 14964 62427 477 0 1795 4183 3 0");

        // 6 + 2 + 2 + 10; guests are users already.
        assertThat(after.partSince(before)).isEqualTo(0.5);
        assertThat(after.partSince(after)).isZero();
    }

    @Test
    void whereNothingIsToldNothingIsStolen() {
        assertThat(StolenTime.UNKNOWN.partSince(StolenTime.UNKNOWN)).isZero();
        // As before Linux 2.6.11.
        assertThat(StolenTime.of("cpu  20 0 0 20").partSince(StolenTime.of("cpu  10 0 0 10")))
                .isZero();
    }

    @Test
    void thisSystemIsUnderstood() {
        assertThat(StolenTime.now().partSince(StolenTime.UNKNOWN)).isBetween(0.0, 1.0);
    }
}
