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
    void claimThatDoesNotHoldIsSaidAndCounted() {
        Narrator narrator = narrator(Ansi.OFF);
        narrator.expect(true, "water is wet");
        narrator.expect(false, "fire is cold");

        assertThat(text.toString().lines())
                .containsExactly("           ok  water is wet", "           NO  not so: fire is cold");
        assertThat(narrator.expectationsHeld()).isEqualTo(1);
        assertThat(narrator.expectationsFailed()).isEqualTo(1);
    }

    @Test
    void coloursAppearOnlyWhereTheyAreWelcome() {
        narrator(Ansi.OFF).act("One");
        assertThat(text.toString()).contains("1  One").doesNotContain("\u001b");

        narrator(Ansi.ON).act("Two");
        assertThat(text.toString()).contains("\u001b[1m");
    }

    @Test
    void longWordsOfOthersAreBrokenIntoLines() {
        narrator(Ansi.OFF).quote("word ".repeat(40).strip());

        assertThat(text.toString().lines())
                .hasSizeGreaterThan(2)
                .allSatisfy(
                        line -> assertThat(line).hasSizeLessThanOrEqualTo(85).matches(" {15}word( word)*"));
    }

    @Test
    void timesAreShownAsPeopleSayThem() {
        assertThat(Narrator.show(Duration.ofMillis(7))).isEqualTo("7 ms");
        assertThat(Narrator.show(Duration.ofMillis(2512))).isEqualTo("2.51 s");
    }

    private Narrator narrator(Ansi ansi) {
        return new Narrator(new PrintWriter(text), ansi::string, Pace.FAST);
    }
}
