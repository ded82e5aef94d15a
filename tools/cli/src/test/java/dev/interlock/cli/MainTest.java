package dev.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    @Test
    void helpListsCommandsAndExitCodes() {
        Invocation help = Invocation.of("--help");

        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("demo", "bench", "2   invalid arguments");
    }

    @Test
    void benchWithoutItsJarExplainsWhatIsMissing() {
        Invocation bench = Invocation.of("bench", "memory", "--quick");

        assertThat(bench.exitCode()).isEqualTo(2);
        assertThat(bench.err()).contains("the benchmarks are not on the class path", "./interlock bench");
        assertThat(bench.out()).isEmpty();
    }

    @Test
    void versionIsTheVersionOfTheBuild() {
        Invocation version = Invocation.of("--version");

        assertThat(version.exitCode()).isZero();
        assertThat(version.out())
                .containsPattern("interlock \\d+\\.\\d+\\.\\d+")
                .contains("Java");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no-such-command", "--no-such-option", "demo --no-such-option", "demo extra"})
    void invalidArgumentsPrintTheUsage(String line) {
        Invocation invalid = Invocation.of(line.isEmpty() ? new String[0] : line.split(" "));

        assertThat(invalid.exitCode()).isEqualTo(2);
        assertThat(invalid.err()).containsAnyOf("Usage: interlock", "Did you mean: interlock");
        assertThat(invalid.out()).isEmpty();
    }
}
