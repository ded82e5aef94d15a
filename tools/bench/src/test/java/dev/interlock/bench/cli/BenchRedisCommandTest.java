package dev.interlock.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testkit.servers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
@Tag("server")
class BenchRedisCommandTest {
    /** Skips the tests if no server is available. The suite starts its own server. */
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @Test
    void tinyRunPrintsTablesGoalsAndRatios(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("figures.json");
        Invocation bench = Invocation.of(
                "bench",
                "redis",
                "--quick",
                "--only",
                "free_8t",
                "--rounds",
                "1",
                "--seconds",
                "0.2",
                "--json",
                json.toString());

        assertThat(bench.exitCode()).as(bench.out() + bench.err()).isZero();
        assertThat(bench.out())
                .contains("free_8t: ", "x raw_fenced", "Goals")
                .containsPattern("(met|MISSED) +free_8t: interlock ops/s >= 0.85 x raw_fenced")
                .containsPattern("(?m)^RATIO redis\\.free_8t\\.calls_per_op\\.vs_redisson_fenced \\d")
                .containsPattern("(?m)^RATIO redis\\.free_8t\\.calls_per_op\\.vs_best_peer \\d")
                .doesNotContain("FAILED");
        assertThat(Files.readString(json))
                .startsWith("{\"suite\":\"redis\"")
                .contains("\"spring\"", "\"server\":\"Redis 7.");
    }

    @Test
    void errorForAnUnknownWorkloadListsTheKnownOnes() {
        Invocation bench = Invocation.of("bench", "redis", "--only", "hot");

        assertThat(bench.exitCode()).isEqualTo(2);
        assertThat(bench.err()).contains("hot_4p8t", "handoff_2p");
    }
}
