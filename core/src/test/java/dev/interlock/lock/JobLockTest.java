package dev.interlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.support.TwoProcesses;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobLockTest {
    private static final LockKey KEY = LockKey.of("job", "nightly");

    private final TwoProcesses world = new TwoProcesses();
    private final JobLock here = JobLock.over(world.locks(), KEY);
    private final JobLock there = JobLock.over(world.others(), KEY);

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void jobThatRunsOnAnotherInstanceIsSkipped() {
        boolean ran = here.tryRun(lease -> assertThat(there.tryRun(other -> {})).isFalse());
        assertThat(ran).isTrue();
        assertThat(there.tryRun(lease -> {})).isTrue();
    }

    @Test
    void jobThatEndsEarlyIsNotRunAgainBeforeAtLeastFor() {
        JobLock slow = here.atLeastFor(Duration.ofMillis(300));
        assertThat(slow.tryRun(lease -> world.advance(100))).isTrue();
        assertThat(there.tryRun(lease -> {})).isFalse();
        assertThat(slow.tryRun(lease -> {})).isFalse();

        world.advance(199);
        assertThat(there.tryRun(lease -> {})).isFalse();

        world.advance(1);
        assertThat(there.tryRun(lease -> {})).isTrue();
    }

    @Test
    void lockOfAJobThatRanLongerThanAtLeastForIsReleasedAtOnce() {
        JobLock slow = here.atLeastFor(Duration.ofMillis(300));
        assertThat(slow.tryRun(lease -> world.advance(300))).isTrue();

        assertThat(there.tryRun(lease -> {})).isTrue();
    }

    @Test
    void jobThatRunsTooLongLosesItsLock() {
        AtomicReference<LossReason> reported = new AtomicReference<>();
        here.atMostFor(Duration.ofMillis(100)).tryRun(lease -> {
            lease.onLost(reported::set);
            world.advance(100);
            assertThat(reported.get()).isEqualTo(LossReason.HELD_TOO_LONG);
            assertThat(there.tryRun(other -> {})).isTrue();
        });
        assertThat(reported.get()).isEqualTo(LossReason.HELD_TOO_LONG);
    }

    @Test
    void exceptionOfTheJobIsThrownAndTheLockIsFreeAfterwards() {
        assertThatThrownBy(() -> here.tryRun(lease -> {
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("disk");
        assertThat(here.tryRun(lease -> {})).isTrue();
    }

    @Test
    void durationsOutOfRangeAreRefused() {
        assertThatThrownBy(() -> here.atMostFor(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here.atLeastFor(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
        JobLock contradiction = here.atMostFor(Duration.ofSeconds(1)).atLeastFor(Duration.ofSeconds(2));
        assertThatThrownBy(() -> contradiction.tryRun(lease -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("longer than");
    }
}
