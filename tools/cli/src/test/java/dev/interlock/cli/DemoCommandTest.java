package dev.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DemoCommandTest {
    private static Invocation demo;

    @BeforeAll
    static void takeTheTour() {
        demo = Invocation.of("demo", "--fast");
    }

    @Test
    void everythingHappensAsItShould() {
        assertThat(demo.exitCode()).as(demo.out()).isZero();
        assertThat(demo.out())
                .containsPattern("1\\d claims checked and true, 0 false")
                .doesNotContain("not so");
        assertThat(demo.err()).isEmpty();
    }

    @Test
    void lostUpdateIsShownAndPrevented() {
        assertThat(demo.out())
                .contains("2 sold, yet the stock fell by 1: a lost update", "2 sold, and the stock fell by 2")
                .containsPattern("400 sales .* left 0 of 400");
    }

    @Test
    void locksAreTakenInOneOrder() {
        assertThat(demo.out())
                .contains("no deadlock: all 400 done", "in one order: [[seat:12, voucher:v7, wallet:ann]]")
                .containsPattern("refused after .*\\R.*Waiting for \"seat:12\" while thread shop-a holds");
    }

    @Test
    void lossIsToldAndTheLateWriteRefused() {
        assertThat(demo.out())
                .containsPattern("shop-a was told after .*: EXPIRED")
                .contains("an account without a fence took it: 150, right is 120")
                .containsPattern("the fence refused token \\d+, it has seen \\d+; the balance stays 70")
                .contains("100 - 30 + 50 = 120");
    }

    @Test
    void operatorSeesHoldersAndTakesALock() {
        assertThat(demo.out())
                .containsPattern("report:daily +shop-a +exclusive")
                .containsPattern("printer:desk +shop-a +permits 2")
                .containsPattern("shop-a was told .* at its next renewal: FORCED");
    }

    @Test
    void outputIsPlainAndFitsAScreen() {
        assertThat(demo.out().lines())
                .allSatisfy(line -> assertThat(line).matches("[\\x20-\\x7e]*").hasSizeLessThanOrEqualTo(100));
    }
}
