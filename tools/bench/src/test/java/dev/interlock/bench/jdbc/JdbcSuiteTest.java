package dev.interlock.bench.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.Contender;
import dev.interlock.bench.Metric;
import dev.interlock.bench.Progress;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.SuiteResult;
import dev.interlock.bench.SuiteRunner;
import dev.interlock.bench.Workload;
import dev.interlock.bench.WorkloadResult;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.testkit.servers.PostgresServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JdbcSuiteTest {
    /** They skip the tests where no server is to be had; the suites start their own. */
    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.shared();

    @RegisterExtension
    static final MariaDbServer mariaDb = MariaDbServer.shared();

    private static final Schedule TINY = new Schedule(0, 1, Duration.ofMillis(50));
    private static final JdbcSuite.Size SMALL = new JdbcSuite.Size(
            JdbcSuite.Size.FULL.free(),
            JdbcSuite.Size.FULL.contending(),
            300,
            200,
            Duration.ofSeconds(3),
            1,
            1,
            JdbcSuite.Size.QUICK.options());

    /** The first step of each growth, and one with several processes. */
    private static final List<String> GROWN = List.of("keys_100", "waiters_10", "holding_100", "processes_2");

    @Test
    void everyContenderRunsSoundlyOnPostgres() throws InterruptedException {
        SuiteResult result;
        SuiteResult grown;
        try (JdbcSuite suite = new JdbcSuite("postgres", Product.POSTGRESQL, SMALL)) {
            SuiteRunner runner = new SuiteRunner(TINY, Progress.SILENT);
            result = runner.run(suite.suite().withoutGrowths());
            grown = runner.run(suite.suite().only(GROWN));
        }

        isSound(result);
        assertThat(grown.workloads()).hasSameSizeAs(GROWN).allSatisfy(JdbcSuiteTest::isSound);
        assertThat(result.ratios())
                .extracting(SuiteResult.Ratio::name)
                .contains(
                        "postgres.free_1t.calls_per_op.vs_raw",
                        "postgres.free_8t.calls_per_op.vs_best_peer",
                        "postgres.hot_1p32t.calls_per_op.vs_advisory",
                        "postgres.hot_4p8t.calls_per_op.vs_advisory_blocking",
                        "postgres.handoff_2p.calls_per_op.vs_spring",
                        "postgres.waiting.calls_per_s.vs_shedlock",
                        "postgres.multi_5.calls_per_op.vs_raw",
                        "postgres.multi_20.calls_per_op.vs_raw",
                        "postgres.held_200.commands_per_s.vs_raw");
    }

    @Test
    @Tag("repeated")
    void everyContenderRunsSoundlyOnMariaDb() throws InterruptedException {
        SuiteResult result;
        SuiteResult grown;
        try (JdbcSuite suite = new JdbcSuite("mariadb", Product.MARIADB, SMALL)) {
            SuiteRunner runner = new SuiteRunner(TINY, Progress.SILENT);
            result = runner.run(suite.suite().withoutGrowths());
            grown = runner.run(suite.suite().only(GROWN));
        }

        isSound(result);
        assertThat(grown.workloads()).hasSameSizeAs(GROWN).allSatisfy(JdbcSuiteTest::isSound);
        assertThat(result.ratios())
                .extracting(SuiteResult.Ratio::name)
                .contains("mariadb.hot_4p8t.calls_per_op.vs_advisory_blocking", "mariadb.multi_20.calls_per_op.vs_raw");
    }

    private static void isSound(SuiteResult result) {
        assertThat(result.workloads())
                .extracting(WorkloadResult::workload)
                .extracting(Workload::name)
                .containsExactly(
                        "free_1t",
                        "free_8t",
                        "free_64t",
                        "hot_1p32t",
                        "hot_4p8t",
                        "handoff_2p",
                        "waiting",
                        "multi_5",
                        "multi_20",
                        "held_200");
        assertThat(result.workloads()).allSatisfy(JdbcSuiteTest::isSound);
        assertThat(result.isSound()).isTrue();
    }

    private static void isSound(WorkloadResult result) {
        for (Contender contender : result.workload().contenders()) {
            String where = contender.name() + " at " + result.workload().name();
            assertThat(result.failureOf(contender.name())).as(where).isEmpty();
            for (Metric metric : result.workload().metrics()) {
                assertThat(result.rounds(contender.name(), metric))
                        .as(metric + " of " + where)
                        .hasSize(1);
            }
            // The first turn of held leases has no figures and must not count.
            if (result.workload().metrics().contains(Metric.HEAP)) {
                assertThat(result.summary(contender.name(), Metric.HEAP))
                        .as("heap of " + contender.name() + " at "
                                + result.workload().name())
                        .isNotNaN();
            }
            if (result.workload().metrics().contains(Metric.LOST_UPDATES)) {
                assertThat(result.summary(contender.name(), Metric.LOST_UPDATES))
                        .as("lost updates of " + where)
                        .isZero();
            }
        }
    }
}
