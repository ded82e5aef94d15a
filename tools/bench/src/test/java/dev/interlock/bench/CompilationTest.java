package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CompilationTest {
    @Test
    void compilerIsLeftAloneAsLongAsItWorks() {
        AtomicInteger looks = new AtomicInteger();
        Compilation.awaitQuiet(Duration.ofSeconds(1), () -> 10L * Math.min(looks.getAndIncrement(), 5));
        assertThat(looks).hasValue(7);
    }

    @Test
    void compilerThatIsNeverDoneIsNotWaitedForForEver() {
        AtomicInteger looks = new AtomicInteger();
        Compilation.awaitQuiet(Duration.ofMillis(100), () -> 10L * looks.getAndIncrement());
        assertThat(looks).hasValue(9);
    }
}
