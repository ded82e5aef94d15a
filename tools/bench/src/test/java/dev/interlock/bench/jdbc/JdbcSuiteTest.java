package dev.interlock.bench.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.BenchProgress;
import dev.interlock.bench.BenchWorkload;
import dev.interlock.bench.Contender;
import dev.interlock.bench.Locking;
import dev.interlock.bench.Metric;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.SuiteResult;
import dev.interlock.bench.SuiteRunner;
import dev.interlock.bench.WorkloadResult;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.testkit.servers.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
@Tag("server")
class JdbcSuiteTest {
    /** They skip the tests if no server is available. The suites start their own servers. */
    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.shared();

    @RegisterExtension
    static final MariaDbServer mariaDb = MariaDbServer.shared();

    private static final Schedule TINY = new Schedule(0, 1, Duration.ofMillis(50));
    private static final JdbcSuite.Size SMALL = new JdbcSuite.Size(
            300,
            200,
            // Without ShedLock, which does not extend leases shorter than half a minute.
            List.of("interlock", "raw", "spring"),
            Duration.ofSeconds(3),
            1,
            Duration.ofMillis(50),
            1,
            1,
            true,
            List.of(8),
            JdbcSuite.Size.QUICK.options());

    /** The first step of each scaling run, and one with several processes. */
    private static final List<String> STEPS = List.of("keys_100", "waiters_10", "holding_100", "processes_2");

    @Test
    void everyContenderRunsSoundlyOnPostgres() throws InterruptedException {
        SuiteResult result;
        SuiteResult scaled;
        try (JdbcSuite suite = new JdbcSuite("postgres", DatabaseProduct.POSTGRESQL, SMALL)) {
            SuiteRunner runner = new SuiteRunner(TINY, BenchProgress.SILENT);
            result = runner.run(suite.suite().withoutScalingRuns());
            scaled = runner.run(suite.suite().only(STEPS));
        }

        isSound(result);
        assertThat(scaled.workloads()).hasSameSizeAs(STEPS).allSatisfy(JdbcSuiteTest::isSound);
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
                        "postgres.multi_5.calls_per_op.vs_advisory",
                        "postgres.multi_20.calls_per_op.vs_advisory_blocking",
                        "postgres.multi_20.calls_per_op.vs_shedlock",
                        "postgres.multi_20.calls_per_op.vs_spring",
                        "postgres.source_8t.calls_per_op.vs_shedlock",
                        "postgres.held_200.commands_per_s.vs_raw",
                        "postgres.held_200.calls_per_s.vs_spring");
    }

    @Test
    void suiteIsAvailableBeforeAServerStarts() {
        List<ProcessHandle> before = ProcessHandle.current().descendants().toList();
        try (JdbcSuite suite = JdbcSuite.postgres(false)) {
            assertThat(suite.suite().only(List.of("multi_20", "held_10000")).all())
                    .extracting(workload ->
                            workload.contenders().stream().map(Contender::name).toList())
                    .containsExactly(
                            List.of("interlock", "raw", "advisory_blocking", "advisory", "spring", "shedlock"),
                            List.of("interlock", "raw", "spring", "shedlock"));
            assertThat(ProcessHandle.current().descendants()).hasSameElementsAs(before);
        }
    }

    @Test
    void leasesOfAnotherStepDoNotCountAsHeld() {
        try (BenchDatabase database = BenchDatabase.start(DatabaseProduct.POSTGRESQL);
                Locking raw = opened(database, "raw");
                Locking spring = opened(database, "spring");
                Locking shedlock = opened(database, "shedlock")) {
            for (Locking locking : List.of(raw, spring, shedlock)) {
                locking.hold("bench:step_1-0");
                locking.hold("bench:step_2-0");
                locking.hold("bench:step_2-1").run();
            }

            for (String name : List.of("raw", "spring", "shedlock")) {
                assertThat(database.held(name, Set.of("bench:step_2-0", "bench:step_2-1")))
                        .as(name)
                        .isOne();
            }
        }
    }

    private static Locking opened(BenchDatabase database, String name) {
        return new JdbcContenderSet(DatabaseProduct.POSTGRESQL, database::url, JdbcContenderSet.LEASE)
                .named(name)
                .opener()
                .get();
    }

    @Test
    @Tag("full")
    void everyContenderRunsSoundlyOnMariaDb() throws InterruptedException {
        SuiteResult result;
        SuiteResult scaled;
        try (JdbcSuite suite = new JdbcSuite("mariadb", DatabaseProduct.MARIADB, SMALL)) {
            SuiteRunner runner = new SuiteRunner(TINY, BenchProgress.SILENT);
            result = runner.run(suite.suite().withoutScalingRuns());
            scaled = runner.run(suite.suite().only(STEPS));
        }

        isSound(result);
        assertThat(scaled.workloads()).hasSameSizeAs(STEPS).allSatisfy(JdbcSuiteTest::isSound);
        assertThat(result.ratios())
                .extracting(SuiteResult.Ratio::name)
                .contains("mariadb.hot_4p8t.calls_per_op.vs_advisory_blocking", "mariadb.multi_20.calls_per_op.vs_raw");
    }

    private static void isSound(SuiteResult result) {
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
                        "waiting",
                        "source_8t",
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
            // The first turn of held leases measures nothing and must not count.
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
