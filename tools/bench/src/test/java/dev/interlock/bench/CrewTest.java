package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class CrewTest {
    @Test
    void threadsThatTheSystemDoesNotGiveAreAFailureAndTheOthersLeave() throws InterruptedException {
        List<Thread> given = new ArrayList<>();
        Crew crew = new Crew("test", List.of(new Idler(), new Idler(), new Idler(), new Idler()), task -> {
            if (given.size() == 2) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            Thread thread = new Thread(task);
            given.add(thread);
            thread.start();
        });

        assertThatThrownBy(crew::begin)
                .isInstanceOf(BenchException.class)
                .hasMessage("test could start only 2 of its threads")
                .hasRootCauseMessage("unable to create native thread");
        assertThatThrownBy(crew::end).isInstanceOf(BenchException.class);
        for (Thread thread : given) {
            thread.join(TimeUnit.SECONDS.toMillis(20));
            assertThat(thread.isAlive()).isFalse();
        }
    }

    private static final class Idler implements Worker {
        @Override
        public void work(Signals signals) {
            signals.underWay();
            while (signals.phase() != Phase.OVER) {
                LockSupport.parkNanos(1_000_000);
            }
        }

        @Override
        public Tally tally() {
            throw new AssertionError("not used here");
        }
    }
}
