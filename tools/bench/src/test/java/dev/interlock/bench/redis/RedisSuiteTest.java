package dev.interlock.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.BenchProgress;
import dev.interlock.bench.BenchWorkload;
import dev.interlock.bench.Contender;
import dev.interlock.bench.Metric;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.Suite;
import dev.interlock.bench.SuiteResult;
import dev.interlock.bench.SuiteRunner;
import dev.interlock.bench.WorkloadResult;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
@Tag("server")
class RedisSuiteTest {
    /** Skips the test if no server is available. The suite starts its own server. */
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    private static final Schedule TINY = new Schedule(0, 1, Duration.ofMillis(50));
    private static final RedisSuite.Size SMALL = new RedisSuite.Size(
            200,
            new RedisSuite.LineUp(
                    RedisSuite.LineUp.ALL.free(),
                    RedisSuite.LineUp.ALL.contended(),
                    RedisSuite.LineUp.ALL.several(),
                    // Without ShedLock, which does not extend leases shorter than half a minute.
                    List.of("interlock", "raw", "redisson", "spring")),
            Duration.ofSeconds(3),
            1,
            Duration.ofMillis(50),
            1,
            1,
            RedisSuite.Size.QUICK.options());

    /** The first step of each scaling run, and one with several processes. */
    private static final List<String> STEPS = List.of("keys_100", "waiters_10", "holding_100", "processes_2");

    @Test
    void everyWorkloadRunsSoundlyForEveryContender() throws InterruptedException {
        SuiteResult result;
        SuiteResult scaled;
        try (RedisSuite suite = new RedisSuite(SMALL)) {
            SuiteRunner runner = new SuiteRunner(TINY, BenchProgress.SILENT);
            result = runner.run(suite.suite().withoutScalingRuns());
            scaled = runner.run(suite.suite().only(STEPS));
        }

        assertThat(scaled.workloads()).hasSameSizeAs(STEPS).allSatisfy(RedisSuiteTest::isSound);
        assertThat(result.workloads())
                .extracting(WorkloadResult::workload)
                .extracting(BenchWorkload::name)
                .containsExactly(
                        "free_1t",
                        "free_8t",
                        "free_64t",
                        "hot_1p32t",
                        "hot_4p8t",
                        "handoff_2p",
                        "multi_5",
                        "multi_20",
                        "held_200");
        assertThat(result.workloads()).allSatisfy(RedisSuiteTest::isSound);
        assertThat(result.isSound()).isTrue();
        // A very short turn may have no operations, and then no ratio. But every contender calls the server.
        assertThat(result.ratios())
                .extracting(SuiteResult.Ratio::name)
                .contains(
                        "redis.free_1t.calls_per_op.vs_raw",
                        "redis.free_8t.calls_per_op.vs_raw_fenced",
                        "redis.free_64t.calls_per_op.vs_redisson_fenced",
                        "redis.hot_1p32t.calls_per_op.vs_best_peer",
                        "redis.hot_1p32t_strict.calls_per_op.vs_spring_pubsub",
                        "redis.hot_4p8t.calls_per_op.vs_shedlock",
                        "redis.handoff_2p.calls_per_op.vs_redisson",
                        "redis.multi_5.calls_per_op.vs_redisson_multi",
                        "redis.multi_20.calls_per_op.vs_redisson_group",
                        "redis.multi_20.calls_per_op.vs_spring",
                        "redis.multi_20.calls_per_op.vs_spring_pubsub",
                        "redis.multi_20.calls_per_op.vs_shedlock",
                        "redis.held_200.commands_per_s.vs_raw");
        assertThat(result.workloads()).allSatisfy(RedisSuiteTest::hasServerMetrics);
        assertThat(scaled.workloads()).allSatisfy(RedisSuiteTest::hasServerMetrics);
    }

    private static void hasServerMetrics(WorkloadResult result) {
        List<Metric> metrics = result.workload().metrics();
        Metric spent = metrics.contains(Metric.HEAP) ? Metric.SERVER_LOAD : Metric.SERVER_CPU;
        assertThat(metrics).contains(spent);
        assertThat(result.summary("interlock", spent))
                .as(result.workload().name())
                .isNotNaN();
    }

    @Test
    void suiteIsAvailableBeforeAServerStarts() {
        List<ProcessHandle> before = ProcessHandle.current().descendants().toList();
        try (RedisSuite suite = RedisSuite.create(false)) {
            Suite whole = suite.suite();

            assertThat(whole.only(List.of("multi_5", "multi_20", "hot_1p32t", "hot_4p8t", "waiters", "processes"))
                            .all())
                    .allSatisfy(workload -> assertThat(workload.metrics()).contains(Metric.SHARE, Metric.SERVER_CPU));
            assertThat(whole.only(List.of("held_10000")).all().get(0).contenders())
                    .extracting(Contender::name)
                    .containsExactly("interlock", "raw", "redisson", "spring", "shedlock");
            assertThat(ProcessHandle.current().descendants()).hasSameElementsAs(before);
        }
    }

    private static void isSound(WorkloadResult result) {
        for (Contender contender : result.workload().contenders()) {
            assertThat(result.failureOf(contender.name()))
                    .as(contender.name() + " at " + result.workload().name())
                    .isEmpty();
            for (Metric metric : result.workload().metrics()) {
                assertThat(result.rounds(contender.name(), metric))
                        .as(contender.name() + ' ' + metric + " at "
                                + result.workload().name())
                        .hasSize(1);
            }
            // The first turn of held leases measures nothing and must not count.
            if (result.workload().metrics().contains(Metric.HEAP)) {
                assertThat(result.summary(contender.name(), Metric.HEAP))
                        .as("heap of " + contender.name() + " at "
                                + result.workload().name())
                        .isNotNaN();
            }
            if (result.workload().metrics().contains(Metric.LOST_UPDATES)) {
                assertThat(result.summary(contender.name(), Metric.LOST_UPDATES))
                        .as("lost updates of " + contender.name() + " at "
                                + result.workload().name())
                        .isZero();
            }
        }
    }
}
