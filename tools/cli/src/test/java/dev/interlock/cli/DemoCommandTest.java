package dev.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class DemoCommandTest {
    private static Invocation demo;

    @BeforeAll
    static void runDemo() {
        demo = Invocation.of("demo", "--fast");
    }

    @Test
    void allChecksPass() {
        assertThat(demo.exitCode()).as(demo.out()).isZero();
        assertThat(demo.out()).containsPattern("1\\d checks passed, 0 failed").doesNotContain("FAILED");
        assertThat(demo.err()).isEmpty();
    }

    @Test
    void lostUpdateIsShownAndPrevented() {
        assertThat(demo.out())
                .contains(
                        "2 lamps sold, but the stock fell by 1: a lost update", "2 lamps sold, and the stock fell by 2")
                .containsPattern("400 sales .* left 0 of 400");
    }

    @Test
    void locksAreAcquiredInOneOrder() {
        assertThat(demo.out())
                .contains("no deadlock: all 400 requests done", "in one order: [[seat:12, voucher:v7, wallet:ann]]")
                .containsPattern("refused after .*\\R.*Waiting for \"seat:12\" while thread shop-a holds");
    }

    @Test
    void lossIsReportedAndTheLateWriteIsRejected() {
        assertThat(demo.out())
                .containsPattern("shop-a was notified after .*: EXPIRED")
                .contains("an account without a fence accepts it: 150 instead of 120")
                .containsPattern("the fence rejected token \\d+ because it has seen \\d+; the balance is still 70")
                .contains("100 - 30 + 50 = 120");
    }

    @Test
    void operatorSeesHoldersAndReleasesALockByForce() {
        assertThat(demo.out())
                .containsPattern("report:daily +shop-a +exclusive")
                .containsPattern("printer:desk +shop-a +permits 2")
                .containsPattern("shop-a was notified .* at its next renewal: FORCED");
    }

    @Test
    void outputIsAsciiAndAtMost100ColumnsWide() {
        assertThat(demo.out().lines())
                .allSatisfy(line -> assertThat(line).matches("[\\x20-\\x7e]*").hasSizeLessThanOrEqualTo(100));
    }
}
