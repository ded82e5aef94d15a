package dev.interlock.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.testkit.servers.PostgresServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("full")
@Tag("server")
class BenchJdbcCommandsTest {
    /** They skip the tests if no server is available. The suites start their own servers. */
    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.shared();

    @RegisterExtension
    static final MariaDbServer mariaDb = MariaDbServer.shared();

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "mariadb"})
    void tinyRunPrintsTablesGoalsAndRatios(String suite) {
        Invocation bench =
                Invocation.of("bench", suite, "--quick", "--only", "free_8t", "--rounds", "1", "--seconds", "0.2");

        assertThat(bench.exitCode()).as(bench.out() + bench.err()).isZero();
        assertThat(bench.out())
                .contains("free_8t: ", "x raw", "Goals")
                .containsPattern("(met|MISSED) +free_8t: interlock calls/op <= 2")
                .containsPattern("(?m)^RATIO " + suite + "\\.free_8t\\.calls_per_op\\.vs_best_peer \\d")
                .doesNotContain("FAILED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "mariadb"})
    void errorForAnUnknownWorkloadListsTheKnownOnes(String suite) {
        Invocation bench = Invocation.of("bench", suite, "--only", "hot");

        assertThat(bench.exitCode()).isEqualTo(2);
        assertThat(bench.err()).contains("hot_4p8t", "handoff_2p", "waiting");
    }
}
