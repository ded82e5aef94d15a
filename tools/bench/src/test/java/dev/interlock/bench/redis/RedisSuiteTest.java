package dev.interlock.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.Contender;
import dev.interlock.bench.Metric;
import dev.interlock.bench.Progress;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.SuiteResult;
import dev.interlock.bench.SuiteRunner;
import dev.interlock.bench.Workload;
import dev.interlock.bench.WorkloadResult;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisSuiteTest {
    /** Skips the test where no server is to be had; the suite starts its own. */
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    private static final Schedule TINY = new Schedule(0, 1, Duration.ofMillis(50));
    private static final RedisSuite.Size SMALL = new RedisSuite.Size(
            200, RedisSuite.Size.FULL.holders(), Duration.ofSeconds(3), RedisSuite.Size.QUICK.options());

    @Test
    void everyWorkloadRunsSoundlyForEveryContender() throws InterruptedException {
        SuiteResult result;
        try (RedisSuite suite = new RedisSuite(SMALL)) {
            result = new SuiteRunner(TINY, Progress.SILENT).run(suite.suite());
        }

        assertThat(result.workloads())
                .extracting(WorkloadResult::workload)
                .extracting(Workload::name)
                .containsExactly(
                        "free_64t",
                        "free_8t",
                        "free_1t",
                        "hot_1p32t",
                        "hot_4p8t",
                        "handoff_2p",
                        "multi_5",
                        "multi_20",
                        "held_200");
        assertThat(result.workloads()).allSatisfy(RedisSuiteTest::isSound);
        assertThat(result.isSound()).isTrue();
        // Operations per second may be none in so short a turn, and then there is no ratio; but everyone calls the
        // server.
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
                        "redis.held_200.commands_per_s.vs_raw");
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
            if (result.workload().metrics().contains(Metric.LOST_UPDATES)) {
                assertThat(result.summary(contender.name(), Metric.LOST_UPDATES))
                        .as("lost updates of " + contender.name() + " at "
                                + result.workload().name())
                        .isZero();
            }
        }
    }
}
