package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.bench.ProcessWorkload.Task;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("server")
@Tag("full")
class ProcessWorkloadTest {
    private static final Duration TURN = Duration.ofMillis(300);

    @TempDir
    static Path folder;

    private static BenchProcesses processPool;

    @BeforeAll
    static void open() {
        processPool = new BenchProcesses(
                FileContenders.class,
                () -> folder.resolve("lock").toAbsolutePath().toString(),
                Duration.ofSeconds(30),
                List.of());
    }

    @AfterAll
    static void close() {
        processPool.close();
    }

    @Test
    void lockBetweenProcessesLosesNoUpdate() throws InterruptedException {
        Sample sample = turn("file", new Task.Threads(2));

        assertThat(sample.get(Metric.LOST_UPDATES)).isZero();
        assertThat(sample.get(Metric.OPS)).isPositive();
        assertThat(sample.get(Metric.P50)).isPositive();
    }

    @Test
    void lockThatExcludesOnlyThreadsIsDetected() throws InterruptedException {
        assertThat(turn("local", new Task.Threads(2)).get(Metric.LOST_UPDATES)).isPositive();
    }

    @Test
    void handOffWorkersMeasureTheHandOver() throws InterruptedException {
        Sample sample = turn("file", new Task.HandOff(1));

        assertThat(sample.get(Metric.P50)).isPositive();
        assertThat(sample.get(Metric.LOST_UPDATES)).isZero();
    }

    @Test
    void contenderThatCannotBeOpenedSaysWhy() {
        assertThatThrownBy(() -> turn("missing", new Task.Threads(1)))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("not installed");
        assertThatThrownBy(() -> turn("unknown", new Task.Threads(1)))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("there is no contender unknown");
    }

    @Test
    void otherContendersContinueAfterAProcessEnded() throws InterruptedException {
        ProcessWorkload workload =
                workload(List.of(contender("file"), contender("deadly"), contender("local")), new Task.Threads(2));

        SuiteResult suite = new SuiteRunner(new Schedule(0, 2, TURN), BenchProgress.SILENT)
                .run(new Suite("suite", List.of(workload), List.of(), List.of()));

        WorkloadResult result = suite.workloads().get(0);
        assertThat(result.failureOf("deadly"))
                .hasValueSatisfying(why -> assertThat(why).contains("A benchmark process has ended"));
        assertThat(result.failureOf("file")).isEmpty();
        assertThat(result.failureOf("local")).isEmpty();
        assertThat(result.rounds("file", Metric.OPS)).hasSize(2).doesNotContain(0);
        assertThat(result.rounds("local", Metric.OPS)).hasSize(2).doesNotContain(0);
        // With answers to commands of another contender, the sum would be wrong.
        assertThat(result.summary("file", Metric.LOST_UPDATES)).isZero();
    }

    private static Contender contender(String name) {
        return Contender.floor(name, () -> {
            throw new AssertionError("opened by the processes only");
        });
    }

    private static ProcessWorkload workload(List<Contender> contenders, Task task) {
        String names = contenders.stream().map(Contender::name).collect(Collectors.joining("-"));
        return new ProcessWorkload(
                names + task.getClass().getSimpleName(),
                "a test",
                contenders,
                List.of(Metric.OPS, Metric.LOST_UPDATES),
                processPool,
                2,
                task);
    }

    private static Sample turn(String name, Task task) throws InterruptedException {
        Contender contender = contender(name);
        ProcessWorkload workload = workload(List.of(contender), task);
        try (BenchWorkload.ContenderRun bout = workload.prepare(contender)) {
            return bout.turn(TURN);
        }
    }
}
