package dev.interlock.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors that are reported before a server starts, so that these tests need none. */
class BenchRefusalTest {
    @ParameterizedTest
    @ValueSource(strings = {"redis", "postgres", "mariadb"})
    void unknownWorkloadIsRejected(String suite) {
        assertRejected("There is no workload \"typo\"", suite, "--only", "typo");
        assertRejected("hot_4p8t", suite, "--quick", "--only", "free_1t,typo");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "postgres", "mariadb"})
    void scheduleThatDoesNotSuitAWorkloadIsRejected(String suite) {
        assertRejected("a turn is PT13M20S: choose PT0.001S to PT10M", suite, "--quick", "--seconds", "400");
    }

    @Test
    void scheduleMustSuitOnlySelectedWorkloads() {
        Invocation bench = Invocation.of("bench", "redis", "--quick", "--seconds", "400", "--only", "free_1t,typo");

        assertThat(bench.exitCode()).isEqualTo(2);
        assertThat(bench.err()).contains("typo").doesNotContain("PT13M20S");
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis", "postgres", "mariadb"})
    void oneFileForTwoReportsIsRejected(String suite, @TempDir Path directory) {
        assertRejected(
                "--json and --html name the same file",
                suite,
                "--json",
                directory.resolve("report").toString(),
                "--html",
                directory.resolve("./report").toString());
    }

    private static void assertRejected(String sentence, String suite, String... options) {
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
