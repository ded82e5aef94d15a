package dev.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused before a server is started, so that these need none. */
class BenchRefusalTest {
    @ParameterizedTest
    @ValueSource(strings = {"redis", "postgres", "mariadb"})
    void unknownWorkloadIsRefused(String suite) {
        refuses("There is no workload \"typo\"", suite, "--only", "typo");
        refuses("hot_4p8t", suite, "--quick", "--only", "free_1t,typo");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "postgres", "mariadb"})
    void scheduleThatSuitsSomeWorkloadBadlyIsRefused(String suite) {
        refuses("a turn is PT13M20S: choose PT0.001S to PT10M", suite, "--quick", "--seconds", "400");
    }

    @Test
    void scheduleOnlyHasToSuitWhatRuns() {
        Invocation bench = Invocation.of("bench", "redis", "--quick", "--seconds", "400", "--only", "free_1t,typo");

        assertThat(bench.exitCode()).isEqualTo(2);
        assertThat(bench.err()).contains("typo").doesNotContain("PT13M20S");
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis", "postgres", "mariadb"})
    void oneFileForTwoReportsIsRefused(String suite, @TempDir Path directory) {
        refuses(
                "--json and --html name the same file",
                suite,
                "--json",
                directory.resolve("report").toString(),
                "--html",
                directory.resolve("./report").toString());
    }

    private static void refuses(String sentence, String suite, String... options) {
        String[] words = new String[options.length + 2];
        words[0] = "bench";
        words[1] = suite;
        System.arraycopy(options, 0, words, 2, options.length);
        long processes = ProcessHandle.current().descendants().count();

        Invocation bench = Invocation.of(words);

        assertThat(bench.exitCode()).as(bench.err()).isEqualTo(2);
        assertThat(bench.err()).contains(sentence);
        assertThat(ProcessHandle.current().descendants().count()).isEqualTo(processes);
    }
}
