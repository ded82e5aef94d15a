package dev.interlock.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.bench.BenchProgress;
import dev.interlock.bench.BenchWorkload;
import dev.interlock.bench.Goal;
import dev.interlock.bench.Metric;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.Suite;
import dev.interlock.bench.SuiteResult;
import dev.interlock.bench.SuiteRunner;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@Tag("full")
class MemorySuiteTest {
    private static final Schedule TINY = new Schedule(0, 1, Duration.ofMillis(30));

    @Test
    void everyWorkloadRunsSoundlyForEveryContender() throws InterruptedException {
        SuiteResult result = run(MemorySuite.create().withoutScalingRuns());

        assertThat(result.ratios())
                .extracting(SuiteResult.Ratio::name)
                .contains(
                        "memory.free_1t.ops.vs_semaphore",
                        "memory.free_8t.ops.vs_reentrant_lock",
                        "memory.hot_1p32t.ops.vs_semaphore",
                        "memory.hot_1p32t_strict.ops.vs_semaphore",
                        "memory.multi_5.ops.vs_semaphore",
                        "memory.held_10000.heap_bytes.vs_semaphore");
        assertThat(result.values())
                .extracting(SuiteResult.Value::name)
                .contains("memory.free_1t.bytes_per_op", "memory.held_10000.threads");
    }

    @Test
    void smallStepsOfScalingRunsAreSound() throws InterruptedException {
        List<String> smaller = List.of("keys_1000", "waiters_10", "waiters_1000", "holding_1000");

        SuiteResult result = run(MemorySuite.create().only(smaller));

        assertThat(result.workloads()).extracting(one -> one.workload().name()).containsExactlyElementsOf(smaller);
    }

    private static SuiteResult run(Suite suite) throws InterruptedException {
        SuiteResult result = new SuiteRunner(TINY, BenchProgress.SILENT).run(suite);
        assertThat(result.isSound()).isTrue();
        assertThat(result.workloads())
                .allSatisfy(workload -> assertThat(workload.workload().contenders())
                        .allSatisfy(contender ->
                                assertThat(workload.failureOf(contender.name())).isEmpty()));
        return result;
    }

    @Test
    void scalingRunIsSelectedAsAWholeOrByStep() {
        Suite suite = MemorySuite.create();

        assertThat(suite.only(List.of("waiters")).all())
                .extracting(BenchWorkload::name)
                .containsExactly("waiters_10", "waiters_100", "waiters_1000", "waiters_10000");
        assertThat(suite.only(List.of("holding_100", "free_1t")).all())
                .extracting(BenchWorkload::name)
                .containsExactly("free_1t", "holding_100");
        assertThat(suite.only(List.of(Suite.GROWTH)).scalingRuns())
                .isEqualTo(suite.scalingRuns())
                .isNotEmpty();
        assertThat(suite.withoutScalingRuns().all()).isEqualTo(suite.workloads());
    }

    @Test
    void selectedWorkloadsKeepOnlyTheirGoals() {
        Suite some = MemorySuite.create().only(List.of("free_1t"));

        assertThat(some.workloads()).extracting(BenchWorkload::name).containsExactly("free_1t");
        assertThat(some.goals()).extracting(Goal::metric).containsExactly(Metric.NS_PER_OP);
    }

    @Test
    void errorForAnUnknownWorkloadListsTheKnownOnes() {
        assertThatThrownBy(() -> MemorySuite.create().only(List.of("hot")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"hot\"")
                .hasMessageContaining("hot_1p32t");
    }
}
