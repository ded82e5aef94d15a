package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class ThreadedWorkloadTest {
    private static final Duration TURN = Duration.ofMillis(100);

    @Test
    void lockThatDoesNotLockIsFoundOut() throws InterruptedException {
        Sample sample = turn(Runnable::run, Reach.hot());

        assertThat(sample.get(Metric.LOST_UPDATES)).isPositive();
    }

    @Test
    void lockThatLocksLosesNothing() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock(true);
        Sample sample = turn(
                section -> {
                    lock.lock();
                    try {
                        section.run();
                    } finally {
                        lock.unlock();
                    }
                },
                Reach.hot());

        assertThat(sample.get(Metric.LOST_UPDATES)).isZero();
        assertThat(sample.get(Metric.OPS)).isPositive();
        // Which threads a busy computer lets run in a tenth of a second is not the lock's doing; ProcessTallyTest has
        // the arithmetic of the share.
        assertThat(sample.get(Metric.SHARE)).isGreaterThanOrEqualTo(1.0);
        assertThat(sample.get(Metric.P99)).isPositive();
    }

    @Test
    void allocationOfTheContenderIsMeasured() throws InterruptedException {
        byte[][] kept = new byte[8][];
        Sample sample = turn(
                section -> {
                    kept[(int) (Thread.currentThread().getId() % kept.length)] = new byte[1000];
                    section.run();
                },
                Reach.own());

        assertThat(sample.get(Metric.ALLOCATED)).isBetween(1000.0, 1200.0);
    }

    @Test
    void failureOfOneThreadEndsTheTurn() {
        Guard failing = section -> {
            throw new IllegalStateException("tired");
        };

        assertThatThrownBy(() -> turn(failing, Reach.hot()))
                .isInstanceOf(BenchException.class)
                .hasMessage("test at test failed")
                .hasRootCauseMessage("tired");
    }

    @Test
    void severalLocksAreDifferentOnesAndTheSameInEveryRun() {
        List<List<Integer>> operations = Reach.several(5, 1000).operationsOf(3);

        assertThat(operations)
                .allSatisfy(operation ->
                        assertThat(operation).hasSize(5).doesNotHaveDuplicates().allMatch(number -> number < 1000));
        assertThat(operations).isEqualTo(Reach.several(5, 1000).operationsOf(3));
        assertThat(operations).isNotEqualTo(Reach.several(5, 1000).operationsOf(4));
    }

    private static Sample turn(Guard guard, Reach reach) throws InterruptedException {
        Contender contender = Contender.floor("test", () -> new OneGuard(guard));
        ThreadedWorkload workload = new ThreadedWorkload(
                "test", "a test", List.of(contender), List.of(Metric.OPS), 8, reach, Pace.CONTENDED, Duration.ZERO);
        try (Workload.Bout bout = workload.prepare(contender)) {
            return bout.turn(TURN);
        }
    }

    private record OneGuard(Guard guard) implements Locking {
        @Override
        public Guard guard(String name) {
            return guard;
        }

        @Override
        public Guard guardAll(List<String> names) {
            return guard;
        }

        @Override
        public Runnable hold(String name) {
            throw new AssertionError("not used here");
        }

        @Override
        public void close() {}
    }
}
