package dev.interlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.memory.InMemoryBackend;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobLockTest {
    private static final LockKey KEY = LockKey.of("job", "nightly");

    private final InMemoryBackend backend = InMemoryBackend.create();
    private final Interlock one = Interlock.builder(backend).name("one").build();
    private final Interlock two = Interlock.builder(backend).name("two").build();

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    @Test
    void aJobThatRunsElsewhereIsSkipped() {
        JobLock here = JobLock.over(one.locks(), KEY);
        JobLock there = JobLock.over(two.locks(), KEY);
        boolean ran = here.tryRun(lease -> assertThat(there.tryRun(other -> {})).isFalse());
        assertThat(ran).isTrue();
        assertThat(there.tryRun(lease -> {})).isTrue();
    }

    @Test
    void aJobThatEndsSoonIsNotRunAgainBeforeAtLeastFor() {
        JobLock here = JobLock.over(one.locks(), KEY).atLeastFor(Duration.ofMillis(300));
        JobLock there = JobLock.over(two.locks(), KEY);
        assertThat(here.tryRun(lease -> {})).isTrue();
        assertThat(there.tryRun(lease -> {})).isFalse();
        assertThat(here.tryRun(lease -> {})).isFalse();
        await().until(() -> there.tryRun(lease -> {}));
    }

    @Test
    void aJobThatRunsTooLongIsToldThatItsLockIsLost() {
        AtomicReference<LossReason> told = new AtomicReference<>();
        JobLock.over(one.locks(), KEY).atMostFor(Duration.ofMillis(100)).tryRun(lease -> {
            lease.onLost(told::set);
            await().until(() -> told.get() != null);
            assertThat(JobLock.over(two.locks(), KEY).tryRun(other -> {})).isTrue();
        });
        assertThat(told.get()).isEqualTo(LossReason.HELD_TOO_LONG);
    }

    @Test
    void whatTheJobThrowsPassesThroughAndTheLockIsFreeAfterwards() {
        JobLock job = JobLock.over(one.locks(), KEY);
        assertThatThrownBy(() -> job.tryRun(lease -> {
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("disk");
        assertThat(job.tryRun(lease -> {})).isTrue();
    }

    @Test
    void durationsThatMakeNoSenseAreRefused() {
        JobLock job = JobLock.over(one.locks(), KEY);
        assertThatThrownBy(() -> job.atMostFor(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> job.atLeastFor(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
        JobLock contradiction = job.atMostFor(Duration.ofSeconds(1)).atLeastFor(Duration.ofSeconds(2));
        assertThatThrownBy(() -> contradiction.tryRun(lease -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("longer than");
    }
}
