package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
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

    @Test
    void turnCountsFromTheFirstOperationOfThoseWhoAreAwaited() throws InterruptedException {
        AtomicBoolean hadIt = new AtomicBoolean();
        Crew runners = new Crew("test", List.of(new Late(true, hadIt)));
        runners.begin();
        assertThat(hadIt).isTrue();
        runners.count();
        runners.end();

        // Never under way: whoever waited for it would wait for a minute, and then fail.
        Crew hasty = new Crew("test", List.of(new Late(false, new AtomicBoolean())));
        hasty.begin();
        hasty.count();
        hasty.end();
    }

    /** Has its first operation late, or says nothing of it at all if nobody awaits it. */
    private record Late(boolean isAwaited, AtomicBoolean hadIt) implements Worker {
        @Override
        public void work(Signals signals) {
            LockSupport.parkNanos(20_000_000);
            if (isAwaited) {
                hadIt.set(true);
                signals.underWay();
            }
            while (signals.phase() != Phase.OVER) {
                LockSupport.parkNanos(1_000_000);
            }
        }

        @Override
        public Tally tally() {
            Histogram nothing = new Histogram(BenchWorker.DIGITS);
            return new Tally(0, 0, 0, nothing, nothing, 1);
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
