package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class JitActivityTest {
    @Test
    void waitsWhileTheCompilerIsBusy() {
        AtomicInteger looks = new AtomicInteger();
        JitActivity.awaitQuiet(Duration.ofSeconds(1), () -> 10L * Math.min(looks.getAndIncrement(), 5));
        assertThat(looks).hasValue(7);
    }

    @Test
    void waitForABusyCompilerIsLimited() {
        AtomicInteger looks = new AtomicInteger();
        JitActivity.awaitQuiet(Duration.ofMillis(100), () -> 10L * looks.getAndIncrement());
        assertThat(looks).hasValue(9);
    }
}
