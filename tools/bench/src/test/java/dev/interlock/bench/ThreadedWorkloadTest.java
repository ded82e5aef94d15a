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
    void lockThatDoesNotExcludeIsDetected() throws InterruptedException {
        Sample sample = turn(Runnable::run, LockSelection.hot());

        assertThat(sample.get(Metric.LOST_UPDATES)).isPositive();
    }

    @Test
    void lockThatExcludesLosesNoUpdate() throws InterruptedException {
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
                LockSelection.hot());

        assertThat(sample.get(Metric.LOST_UPDATES)).isZero();
        assertThat(sample.get(Metric.OPS)).isPositive();
        // Which threads run within a tenth of a second on a busy computer does not depend on the lock. ProcessTallyTest
        // tests the computation of the share.
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
                LockSelection.own());

        assertThat(sample.get(Metric.ALLOCATED)).isBetween(1000.0, 1200.0);
    }

    @Test
    void failureOfOneThreadEndsTheTurn() {
        LockGuard failing = section -> {
            throw new IllegalStateException("tired");
        };

        assertThatThrownBy(() -> turn(failing, LockSelection.hot()))
                .isInstanceOf(BenchException.class)
                .hasMessage("test at test failed")
                .hasRootCauseMessage("tired");
    }

    @Test
    void severalLocksAreDistinctAndTheSameInEveryRun() {
        List<List<Integer>> operations = LockSelection.several(5, 1000).operationsOf(3);

        assertThat(operations)
                .allSatisfy(operation ->
                        assertThat(operation).hasSize(5).doesNotHaveDuplicates().allMatch(number -> number < 1000));
        assertThat(operations).isEqualTo(LockSelection.several(5, 1000).operationsOf(3));
        assertThat(operations).isNotEqualTo(LockSelection.several(5, 1000).operationsOf(4));
    }

    private static Sample turn(LockGuard guard, LockSelection selection) throws InterruptedException {
        Contender contender = Contender.floor("test", () -> new OneGuard(guard));
        ThreadedWorkload workload = new ThreadedWorkload(
                "test",
                "a test",
                List.of(contender),
                List.of(Metric.OPS),
                8,
                selection,
                BenchPace.CONTENDED,
                Duration.ZERO);
        try (BenchWorkload.ContenderRun bout = workload.prepare(contender)) {
            return bout.turn(TURN);
        }
    }

    private record OneGuard(LockGuard guard) implements Locking {
        @Override
        public LockGuard guard(String name) {
            return guard;
        }

        @Override
        public LockGuard guardAll(List<String> names) {
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
