package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuStealTest {
    @Test
    void fractionCoversAllProcessorsSinceTheEarlierReading() {
        CpuSteal before = CpuSteal.of("cpu  58684 0 14962 62425 477 0 1795 4173 0 0");
        CpuSteal after = CpuSteal.of("cpu  58690 0 14964 62427 477 0 1795 4183 3 0");

        // 6 + 2 + 2 + 10; guest time is already part of user time.
        assertThat(after.partSince(before)).isEqualTo(0.5);
        assertThat(after.partSince(after)).isZero();
    }

    @Test
    void stealIsZeroIfTheSystemDoesNotReportIt() {
        assertThat(CpuSteal.UNKNOWN.partSince(CpuSteal.UNKNOWN)).isZero();
        // As before Linux 2.6.11.
        assertThat(CpuSteal.of("cpu  20 0 0 20").partSince(CpuSteal.of("cpu  10 0 0 10")))
                .isZero();
    }

    @Test
    void currentSystemCanBeRead() {
        assertThat(CpuSteal.now().partSince(CpuSteal.UNKNOWN)).isBetween(0.0, 1.0);
    }
}
