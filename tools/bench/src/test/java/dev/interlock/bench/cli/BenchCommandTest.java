package dev.interlock.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BenchCommandTest {
    @Test
    void helpListsTheSuites() {
        Invocation help = Invocation.of("bench", "--help");

        assertThat(help.exitCode()).as(help.err()).isZero();
        assertThat(help.out()).contains("Suites:", "memory", "redis", "postgres", "mariadb");
    }

    @Test
    void helpOfTheCommandLineListsAllCommands() {
        Invocation help = Invocation.of("--help");

        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).containsOnlyOnce("  demo ").containsOnlyOnce("  bench ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
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
    void invalidArgumentsPrintTheUsage(String line) {
        Invocation invalid = Invocation.of(line.split(" "));

        assertThat(invalid.exitCode()).isEqualTo(2);
        assertThat(invalid.err()).containsAnyOf("Usage: interlock", "Did you mean: interlock");
        assertThat(invalid.out()).isEmpty();
    }
}
