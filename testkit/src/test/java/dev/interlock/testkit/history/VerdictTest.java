package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.spi.StoreCapabilities.Tokens;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private final Script script = new Script();

    @Test
    void cleanVerdictPasses() {
        script.holds(script.one, "a", "k", 1);
        Verdict verdict = script.check();
        assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.CLEAN);
        assertThatCode(verdict::assertClean).doesNotThrowAnyException();
    }

    @Test
    void violationIsExplainedByTheEventsThatProveIt() {
        script.at(1_000).holds(script.one, "a", "stock:1", 41);
        script.at(1_050).holds(script.two, "b", "stock:1", 42);
        Verdict verdict = script.check();
        Violation violation = verdict.violations().get(0);

        assertThat(violation.sentence())
                .isEqualTo("two owners held stock:1 at the same time for 50.000 ms, from +0.051000 s.");
        assertThat(violation.proven()).isEqualTo(Duration.ofMillis(51));
        assertThat(violation.events()).hasSize(2);
        assertThat(violation.events().get(0))
                .startsWith("+0.001000 s  one")
                .contains("acquire granted", "stock:1", "owner ", "token 41", "valid until +0.101000 s");
        assertThat(violation.events().get(1)).startsWith("+0.051000 s  two").contains("token 42");
    }

    @Test
    void failureShowsTheWholeReport() {
        script.holds(script.one, "a", "k", 5).release();
        script.at(200).holds(script.two, "b", "k", 4);
        Verdict verdict = script.check();
        assertThatThrownBy(verdict::assertClean)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Verdict: VIOLATED")
                .hasMessageContaining("1 VIOLATIONS")
                .hasMessageContaining("token 4 was granted after token 5");
    }

    @Test
    void onlyTheFirstViolationsAreExplainedButAllAreCounted() {
        for (int i = 0; i < 10; i++) {
            script.at(i * 200L).holds(script.one, "a" + i, "k", 100 - i);
        }
        Verdict verdict = script.check();
        assertThat(verdict.count(Invariant.H1_FENCE_ORDER)).isEqualTo(9);
        assertThat(verdict.violations()).hasSize(3);
    }

    @Test
    void reportNamesEveryFigure() {
        script.holds(script.one, "a", "k", 1);
        String page = script.check().page();
        for (Figure figure : Figure.values()) {
            assertThat(page).contains(figure.label());
        }
    }

    @Test
    void delaysAreMeasured() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        RecordedFault fault = script.harness.faultStarted("kill", 1);
        fault.acted();
        fault.stopped();
        script.at(111);
        first.lost();
        RecordedAttempt second = script.asks(script.two, "b", "k");
        script.at(131);
        second.granted(2, nanos(200));
        Verdict verdict = script.check();
        assertThat(verdict.figure(Figure.NOTICE_P50)).isEqualTo(nanos(10));
        assertThat(verdict.figure(Figure.TAKEOVER_MAX)).isEqualTo(nanos(20));
        assertThat(verdict.figure(Figure.HEAL_P99)).isEqualTo(nanos(130));
        assertThat(verdict.figure(Figure.FAULTS_ACTED)).isEqualTo(1);
    }

    @Test
    void strictTokensHaveNoExcuse() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Expectations.strict().tokensMayFallAfter("wipe"))
                .withMessageContaining("STRICT tokens never fall");
        Expectations declared =
                Expectations.strict().tokens(Tokens.CLOCK_BOUNDED).tokensMayFallAfter("wipe");
        assertThatIllegalArgumentException().isThrownBy(() -> declared.tokens(Tokens.PROCESS));
    }

    @Test
    void invalidBoundsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Expectations.strict().load(-1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Expectations.strict().load(Double.NaN));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Expectations.strict().notifiedWithin(Duration.ofMillis(-1)));
    }

    @Nested
    class VoidRuns {
        private void grants(int count) {
            for (int i = 0; i < count; i++) {
                RecordedAttempt attempt = script.at(i * 10L).holds(script.one, "a" + i, "k", i + 1);
                attempt.release();
                attempt.released();
            }
        }

        private void assertVoid(Verdict verdict, String reason) {
            assertThat(verdict.outcome()).as(verdict.page()).isEqualTo(Verdict.Outcome.VOID);
            assertThat(verdict.voidReasons()).singleElement().asString().contains(reason);
            assertThatThrownBy(verdict::assertClean)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining(reason);
        }

        @Test
        void tooLittleLoadBeforeTheFault() {
            grants(10);
            RecordedFault fault = script.at(100).harness.faultStarted("cut");
            fault.acted();
            fault.stopped();
            script.at(110).holds(script.one, "b", "k", 11);
            assertVoid(script.check(Script.LENIENT.load(101)), "10 grants in 0.100 s");
        }

        @Test
        void enoughLoadBeforeTheFault() {
            grants(10);
            RecordedFault fault = script.at(100).harness.faultStarted("cut");
            fault.acted();
            fault.stopped();
            script.at(110).holds(script.one, "b", "k", 11);
            script.check(Script.LENIENT.load(100)).assertClean();
        }

        @Test
        void noGrantSinceTheFault() {
            grants(10);
            RecordedFault fault = script.at(100).harness.faultStarted("cut");
            fault.acted();
            fault.stopped();
            assertVoid(script.check(), "no grant during or after");
        }

        @Test
        void faultThatNeverActed() {
            grants(10);
            script.at(100).harness.faultStarted("cut").stopped();
            script.at(110).holds(script.one, "b", "k", 11);
            assertVoid(script.check(), "\"cut\" was never observed to act");
        }

        @Test
        void faultThatWasNeverInjected() {
            grants(1);
            assertVoid(script.check(Script.LENIENT.injecting("cut")), "\"cut\" was never injected");
        }

        @Test
        void keyThatWasNotCheckedAtRest() {
            grants(1);
            assertVoid(new HistoryChecker(Script.LENIENT).check(script.history()), "the store was not checked at rest");
        }

        @Test
        void checkBeforeTheLastGrantIsNotACheckAtRest() {
            grants(1);
            script.at(100).harness.freeAtRest("k");
            script.at(200).holds(script.one, "b", "k", 2);
            assertVoid(new HistoryChecker(Script.LENIENT).check(script.history()), "the store was not checked at rest");
        }

        @Test
        void keyThatCouldNotBeCheckedAtRest() {
            grants(1);
            script.harness.unreadableAtRest("k");
            assertVoid(script.check(), "the check of k at rest failed");
        }

        @Test
        void resourceThatWasNotReadAtRest() {
            RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
            script.resource.wrote("k", attempt.id(), attempt.owner(), 1, 0, 1, 0, true);
            assertVoid(script.check(), "the resource was not read at rest");
        }

        @Test
        void resourceThatCouldNotBeRead() {
            grants(1);
            script.harness.finalValueUnreadable("k");
            assertVoid(script.check(), "the check of k at rest failed");
        }

        @Test
        void emptyHistoryProvesNothing() {
            assertVoid(new HistoryChecker(Expectations.strict()).check(History.of()), "0 grants in 0.000 s");
        }

        @Test
        void violationInAVoidRunIsStillAViolation() {
            script.holds(script.one, "a", "k", 5).release();
            script.at(200).holds(script.two, "b", "k", 4);
            Verdict verdict = script.check(Script.LENIENT.load(1_000_000));
            assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.VIOLATED);
            assertThat(verdict.voidReasons()).hasSize(1);
        }
    }
}
