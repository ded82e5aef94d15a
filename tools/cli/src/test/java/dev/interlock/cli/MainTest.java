package dev.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    @Test
    void helpNamesTheCommandsAndTheExitCodes() {
        Invocation help = Invocation.of("--help");

        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("demo", "bench", "2   the command line is wrong");
    }

    @Test
    void versionIsThatOfTheBuild() {
        Invocation version = Invocation.of("--version");

        assertThat(version.exitCode()).isZero();
        assertThat(version.out())
                .containsPattern("interlock \\d+\\.\\d+\\.\\d+")
                .contains("Java");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no-such-command",
                "--no-such-option",
                "demo --no-such-option",
                "demo extra",
                "bench",
                "bench no-such-suite",
                "bench memory --rounds none",
                "bench memory --rounds 0",
                "bench memory --seconds -1",
                "bench memory --seconds NaN",
                "bench memory --only no_such_workload",
                "bench memory --json no/such/directory/file.json",
                "bench memory --jmh --rounds 2"
            })
    void whatCannotBeUnderstoodIsExplained(String line) {
        Invocation wrong = Invocation.of(line.isEmpty() ? new String[0] : line.split(" "));

        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).containsAnyOf("Usage: interlock", "Did you mean: interlock");
        assertThat(wrong.out()).isEmpty();
    }
}
