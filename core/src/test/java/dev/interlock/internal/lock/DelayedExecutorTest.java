package dev.interlock.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockSettings;
import dev.interlock.support.TwoProcesses;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DelayedExecutorTest {
    private final TwoProcesses world = new TwoProcesses();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void taskRunsAfterThePauseByTheClockOfTheEngine() {
        AtomicBoolean ran = new AtomicBoolean();
        world.locks().delayedExecutor(Duration.ofMillis(200)).execute(() -> ran.set(true));

        world.advance(199);
        assertThat(ran).isFalse();

        world.advance(1);
        assertThat(ran).isTrue();
    }

    @Test
    void pauseOutOfRangeIsRefused() {
        for (Duration pause : new Duration[] {Duration.ofNanos(-1), LockSettings.MAX_LEASE.plusNanos(1)}) {
            assertThatThrownBy(() -> world.locks().delayedExecutor(pause))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("choose a duration between");
        }
    }
}
