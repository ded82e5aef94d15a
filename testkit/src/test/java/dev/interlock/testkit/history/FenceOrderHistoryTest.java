package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;
import static dev.interlock.testkit.history.Script.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.StoreCapabilities.Tokens;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** H1: tokens grow in the order of grants. */
class FenceOrderHistoryTest {
    private static final Expectations DECLARED =
            Script.LENIENT.tokens(Tokens.CLOCK_BOUNDED).tokensMayFallAfter("wiped and set back");

    private final Script script = new Script();

    @Test
    void tokenAfterACompleteGrantIsLarger() {
        script.holds(script.one, "a", "k", 5).release();
        script.at(200).holds(script.two, "b", "k", 6);
        assertClean(script.check());
    }

    @Test
    void smallerTokenAfterACompleteGrantIsAViolation() {
        script.holds(script.one, "a", "k", 5).release();
        script.at(200).holds(script.two, "b", "k", 4);
        assertBroken(script.check(), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void equalTokenOfTheSameOwnerInALaterGrantIsAViolation() {
        script.holds(script.one, "a", "k", 5).release();
        script.at(200).holds(script.one, "a", "k", 5);
        assertBroken(script.check(), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void grantsThatOverlapMayHaveAnyOrder() {
        RecordedAttempt later = script.asks(script.two, "b", "k");
        script.at(1).holds(script.one, "a", "k", 5).release();
        script.at(3);
        later.granted(4, nanos(50));
        assertClean(script.check());
    }

    @Test
    void tokenOfTwoOwnersIsAViolationEvenIfGrantsOverlap() {
        RecordedAttempt later = script.asks(script.two, "b", "k");
        script.at(1).holds(script.one, "a", "k", 5).release();
        script.at(3);
        later.granted(5, nanos(50));
        assertBroken(script.check(), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void otherKeysHaveOtherTokens() {
        script.holds(script.one, "a", "k", 5).release();
        script.at(200).holds(script.two, "b", "other", 5);
        assertClean(script.check());
    }

    @Test
    void unknownOutcomeExcusesNoDuplicate() {
        RecordedAttempt lost = script.asks(script.one, "a", "k");
        lost.unknown();
        script.at(200).holds(script.one, "b", "k", 5).release();
        script.at(400).holds(script.two, "c", "k", 5);
        assertBroken(script.check(), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void unknownOutcomeExplainsAGap() {
        script.asks(script.one, "a", "k").unknown();
        script.at(200).holds(script.one, "b", "k", 7);
        assertClean(script.check());
    }

    @Test
    void answerAfterUnknownIsTheSameGrant() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.unknown();
        script.at(3);
        attempt.granted(5, nanos(90));
        script.at(4);
        attempt.granted(5, nanos(90));
        assertClean(script.check());
    }

    @Test
    void orderWithinTheClockBoundIsUndecidable() {
        script.holds(script.one, "a", "k", 5).release();
        script.at(3).holds(script.two, "b", "k", 4);
        Verdict verdict = script.check(Script.LENIENT.clocksWithin(Duration.ofMillis(2)));
        assertClean(verdict);
        assertThat(verdict.figure(Figure.UNDECIDABLE)).isEqualTo(1);
    }

    @Test
    void orderBeyondTheClockBoundIsDecided() {
        script.holds(script.one, "a", "k", 5).release();
        script.at(4).holds(script.two, "b", "k", 4);
        assertBroken(script.check(Script.LENIENT.clocksWithin(Duration.ofMillis(2))), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void measuredClockBoundCounts() {
        script.one.clockBound(2, nanos(2));
        script.holds(script.one, "a", "k", 5).release();
        script.at(3).holds(script.two, "b", "k", 4);
        assertThat(script.check().figure(Figure.UNDECIDABLE)).isEqualTo(1);
    }

    @Test
    void declaredClockBoundedCaseIsReportedOnly() {
        script.holds(script.one, "a", "k", 5).release();
        RecordedFault fault = script.at(150).harness.faultStarted("wiped and set back");
        fault.acted();
        fault.stopped();
        script.at(200).holds(script.two, "b", "k", 4);
        Verdict verdict = script.check(DECLARED);
        assertClean(verdict);
        assertThat(verdict.figure(Figure.EXPECTED_FENCE_BREAKS)).isEqualTo(1);
    }

    @Test
    void clockBoundedTokensAloneExcuseNothing() {
        script.holds(script.one, "a", "k", 5).release();
        script.at(200).holds(script.two, "b", "k", 4);
        assertBroken(script.check(Script.LENIENT.tokens(Tokens.CLOCK_BOUNDED)), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void clockBoundedCaseExcusesNothingBeforeItsFault() {
        script.holds(script.one, "a", "k", 5).release();
        script.at(200).holds(script.two, "b", "k", 4);
        RecordedFault fault = script.at(400).harness.faultStarted("wiped and set back");
        fault.acted();
        assertBroken(script.check(DECLARED), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void orderInOneProcessNeedsNoClockBound() {
        script.holds(script.one, "a", "k", 5).release();
        script.holds(script.one, "b", "k", 4);
        assertBroken(script.check(Script.LENIENT.clocksWithin(Duration.ofMillis(2))), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void tokenOfALateGrantHasOnlyOneOwner() {
        RecordedAttempt late = script.asks(script.one, "a", "k");
        RecordedAttempt other = script.asks(script.two, "b", "k");
        late.timedOut();
        late.lateGrant(5);
        script.at(1);
        other.granted(5, nanos(50));
        assertBroken(script.check(), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void tokenAfterALateGrantIsLarger() {
        RecordedAttempt late = script.asks(script.one, "a", "k");
        late.timedOut();
        late.lateGrant(5);
        script.at(1).holds(script.two, "b", "k", 4);
        assertBroken(script.check(), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void passedLeaseHasTheNextTokenOfItsGrant() {
        RecordedAttempt next = script.asks(script.one, "a", "k");
        RecordedAttempt first = script.holds(script.one, "a", "k", 5 << 10);
        script.at(10);
        first.release();
        next.granted(5 << 10 | 1, nanos(101));
        first.released();
        script.at(20);
        next.release();
        next.released();
        script.holds(script.two, "b", "k", 6 << 10);
        assertClean(script.check());
    }

    @Test
    void highestTokenCountsNotTheLatest() {
        RecordedAttempt slow = script.asks(script.two, "b", "k");
        script.at(1).holds(script.one, "a", "k", 7).release();
        script.at(3);
        slow.granted(5, nanos(50));
        slow.release();
        script.at(10).holds(script.one, "c", "k", 6);
        assertBroken(script.check(), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void anotherTokenForTheSameAttemptIsAnotherGrant() {
        script.holds(script.one, "a", "k", 5).release();
        RecordedAttempt attempt = script.at(10).holds(script.two, "b", "k", 6);
        attempt.granted(4, nanos(100));
        assertBroken(script.check(), Invariant.H1_FENCE_ORDER);
    }

    @Test
    void widestClockBoundCounts() {
        script.one.clockBound(2, nanos(2));
        script.two.clockBound(1, nanos(1));
        script.holds(script.one, "a", "k", 5).release();
        script.at(3).holds(script.two, "b", "k", 4);
        assertThat(script.check().figure(Figure.UNDECIDABLE)).isEqualTo(1);
    }
}
