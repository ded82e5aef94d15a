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

class WorkerGroupTest {
    @Test
    void missingThreadsAreAFailureAndTheStartedOnesEnd() throws InterruptedException {
        List<Thread> given = new ArrayList<>();
        WorkerGroup group =
                new WorkerGroup("test", List.of(new Idler(), new Idler(), new Idler(), new Idler()), task -> {
                    if (given.size() == 2) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    Thread thread = new Thread(task);
                    given.add(thread);
                    thread.start();
                });

        assertThatThrownBy(group::begin)
                .isInstanceOf(BenchException.class)
                .hasMessage("test could start only 2 of its threads")
                .hasRootCauseMessage("unable to create native thread");
        assertThatThrownBy(group::end).isInstanceOf(BenchException.class);
        for (Thread thread : given) {
            thread.join(TimeUnit.SECONDS.toMillis(20));
            assertThat(thread.isAlive()).isFalse();
        }
    }

    @Test
    void turnCountsFromTheFirstOperationOfAwaitedWorkers() throws InterruptedException {
        AtomicBoolean completed = new AtomicBoolean();
        WorkerGroup awaiting = new WorkerGroup("test", List.of(new Late(true, completed)));
        awaiting.begin();
        assertThat(completed).isTrue();
        awaiting.count();
        awaiting.end();

        // Never completes an operation. Waiting for it would take a minute and then fail.
        WorkerGroup withoutAwaiting = new WorkerGroup("test", List.of(new Late(false, new AtomicBoolean())));
        withoutAwaiting.begin();
        withoutAwaiting.count();
        withoutAwaiting.end();
    }

    /** Completes its first operation late, or never reports it if the turn does not wait for it. */
    private record Late(boolean isAwaited, AtomicBoolean completed) implements BenchWorker {
        @Override
        public void work(Signals signals) {
            LockSupport.parkNanos(20_000_000);
            if (isAwaited) {
                completed.set(true);
                signals.underWay();
            }
            while (signals.phase() != Phase.OVER) {
                LockSupport.parkNanos(1_000_000);
            }
        }

        @Override
        public ThreadTally tally() {
            Histogram nothing = new Histogram(LoopWorker.DIGITS);
            return new ThreadTally(0, 0, 0, nothing, nothing, 1);
        }
    }

    private static final class Idler implements BenchWorker {
        @Override
        public void work(Signals signals) {
            signals.underWay();
            while (signals.phase() != Phase.OVER) {
                LockSupport.parkNanos(1_000_000);
            }
        }

        @Override
        public ThreadTally tally() {
            throw new AssertionError("not used here");
        }
    }
}
