package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.bench.ProcessWorkload.Task;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessWorkloadTest {
    private static final Duration TURN = Duration.ofMillis(300);

    @TempDir
    static Path folder;

    private static Children children;

    @BeforeAll
    static void open() {
        children = new Children(
                FileContenders.class,
                () -> folder.resolve("lock").toAbsolutePath().toString(),
                Duration.ofSeconds(30),
                List.of());
    }

    @AfterAll
    static void close() {
        children.close();
    }

    @Test
    void lockThatExcludesProcessesLosesNothing() throws InterruptedException {
        Sample sample = turn("file", new Task.Threads(2));

        assertThat(sample.get(Metric.LOST_UPDATES)).isZero();
        assertThat(sample.get(Metric.OPS)).isPositive();
        assertThat(sample.get(Metric.P50)).isPositive();
    }

    @Test
    void lockThatExcludesThreadsOnlyIsFoundOut() throws InterruptedException {
        assertThat(turn("local", new Task.Threads(2)).get(Metric.LOST_UPDATES)).isPositive();
    }

    @Test
    void runnersTimeTheWayOfTheLock() throws InterruptedException {
        Sample sample = turn("file", new Task.HandOff());

        assertThat(sample.get(Metric.P50)).isPositive();
        assertThat(sample.get(Metric.LOST_UPDATES)).isZero();
    }

    @Test
    void contenderThatCannotBeOpenedSaysWhy() {
        assertThatThrownBy(() -> turn("missing", new Task.Threads(1)))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("not installed");
        assertThatThrownBy(() -> turn("unheard", new Task.Threads(1)))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("there is no contender unheard");
    }

    private static Sample turn(String name, Task task) throws InterruptedException {
        Contender contender = Contender.floor(name, () -> {
            throw new AssertionError("opened by the processes only");
        });
        ProcessWorkload workload = new ProcessWorkload(
                name + task.getClass().getSimpleName(),
                "a test",
                List.of(contender),
                List.of(Metric.OPS),
                children,
                2,
                task);
        try (Workload.Bout bout = workload.prepare(contender)) {
            return bout.turn(TURN);
        }
    }
}
