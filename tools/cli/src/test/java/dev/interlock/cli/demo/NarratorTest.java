package dev.interlock.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class NarratorTest {
    private final StringWriter text = new StringWriter();

    @Test
    void failedCheckIsPrintedAndCounted() {
        Narrator narrator = narrator(Ansi.OFF);
        narrator.check(true, "water is wet");
        narrator.check(false, "fire is cold");

        assertThat(text.toString().lines())
                .containsExactly("           ok  water is wet", "           FAILED  fire is cold");
        assertThat(narrator.checksPassed()).isEqualTo(1);
        assertThat(narrator.checksFailed()).isEqualTo(1);
    }

    @Test
    void coloursAreUsedOnlyWithAnsi() {
        narrator(Ansi.OFF).act("One");
        assertThat(text.toString()).contains("1  One").doesNotContain("\u001b");

        narrator(Ansi.ON).act("Two");
        assertThat(text.toString()).contains("\u001b[1m");
    }

    @Test
    void longMessageIsWrapped() {
        narrator(Ansi.OFF).quote("word ".repeat(40).strip());

        assertThat(text.toString().lines())
                .hasSizeGreaterThan(2)
                .allSatisfy(
                        line -> assertThat(line).hasSizeLessThanOrEqualTo(85).matches(" {15}word( word)*"));
    }

    @Test
    void durationsAreRounded() {
        assertThat(Narrator.show(Duration.ofMillis(7))).isEqualTo("7 ms");
        assertThat(Narrator.show(Duration.ofMillis(2512))).isEqualTo("2.51 s");
    }

    private Narrator narrator(Ansi ansi) {
        return new Narrator(new PrintWriter(text), ansi::string, DemoPace.FAST);
    }
}
