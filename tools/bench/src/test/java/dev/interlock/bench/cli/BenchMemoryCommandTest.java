package dev.interlock.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
class BenchMemoryCommandTest {
    private static final Pattern RATIO =
            Pattern.compile("RATIO memory\\.[a-z0-9_]+\\.[a-z0-9_]+\\.vs_[a-z_]+ (\\d+(?:\\.\\d+)?)");

    @Test
    void tinyRunPrintsTablesGoalsAndRatios(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("figures.json");
        Invocation bench = Invocation.of(
                "bench", "memory", "--quick", "--rounds", "1", "--seconds", "0.05", "--json", json.toString());

        assertThat(bench.exitCode()).as(bench.out() + bench.err()).isZero();
        assertThat(bench.out())
                .contains("free_1t: ", "free_8t: ", "hot_1p32t: ", "multi_5: ", "held_10000: ", "Goals")
                .containsPattern("(met|MISSED) +hot_1p32t: interlock ops/s >= 0.5 x semaphore")
                .containsPattern("(met|MISSED) +free_1t: interlock ns/op <= 2,000")
                .containsPattern("met +hot_1p32t: interlock lost updates <= 0 +0")
                .containsPattern("(?m)^VALUE memory\\.free_1t\\.bytes_per_op \\d");
        List<String> ratios =
                bench.out().lines().filter(line -> line.startsWith("RATIO")).toList();
        assertThat(ratios)
                .hasSizeGreaterThan(20)
                .allSatisfy(line -> assertThat(line).matches(RATIO));
        assertThat(ratios).anySatisfy(line -> assertThat(line).startsWith("RATIO memory.hot_1p32t.ops.vs_semaphore "));
        assertThat(bench.err()).contains("[7/7] held_10000: warming up, then 1 round");
        assertThat(Files.readString(json))
                .startsWith("{\"suite\":\"memory\"")
                .contains(
                        "\"lost_updates\"",
                        "\"command\":\"./interlock bench memory --quick --rounds 1 --seconds 0.05 --json " + json,
                        "\"system\":\"" + System.getProperty("os.name"))
                .doesNotContain("\"server\"");
    }

    @Test
    void selectedWorkloadsRunAndAreShownOnAPage(@TempDir Path directory) throws IOException {
        Path html = directory.resolve("report.html");
        Invocation bench = Invocation.of(
                "bench",
                "memory",
                "--only",
                "free_1t,keys_100,keys_1000",
                "--rounds",
                "1",
                "--seconds",
                "0.01",
                "--html",
                html.toString());

        assertThat(bench.exitCode()).as(bench.err()).isZero();
        assertThat(bench.out())
                .contains(
                        "free_1t: ", "keys: 8 threads acquire uncontended locks out of many; ops/s by number of locks")
                .doesNotContain("hot_1p32t");
        assertThat(Files.readString(html)).contains("Interlock bench: memory", "free_1t", "polyline");
    }

    @Test
    void unwritableFileIsRejectedBeforeTheRun(@TempDir Path directory) {
        for (String option : List.of("--html", "--json")) {
            Invocation bench = Invocation.of(
                    "bench",
                    "memory",
                    option,
                    directory.resolve("missing/report").toString());

            assertThat(bench.exitCode()).isEqualTo(2);
            assertThat(bench.err()).contains("Cannot write to", "missing");
        }
    }
}
