package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;
import static dev.interlock.testkit.history.Script.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** H2: the windows of owners that exclude each other do not overlap. */
class WindowHistoryTest {
    private final Script script = new Script();

    @Test
    void secondOwnerInsideTheValidityIsAViolation() {
        script.holds(script.one, "a", "k", 1);
        script.at(50).holds(script.two, "b", "k", 2);
        Verdict verdict = script.check();
        assertBroken(verdict, Invariant.H2_WINDOW_EXCLUSIVITY);
        assertThat(verdict.figure(Figure.OVERLAP_MAX)).isEqualTo(nanos(50));
    }

    @Test
    void secondOwnerAtTheEndOfTheValidityIsAllowed() {
        script.holds(script.one, "a", "k", 1);
        script.at(100).holds(script.two, "b", "k", 2);
        assertClean(script.check());
    }

    @Test
    void releaseEndsTheWindowWhenItIsRequested() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(49);
        first.release();
        script.holds(script.two, "b", "k", 2);
        first.releaseUnknown();
        assertClean(script.check());
    }

    @Test
    void noticeEndsTheWindow() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(49);
        first.lost();
        script.holds(script.two, "b", "k", 2);
        assertClean(script.check());
    }

    @Test
    void checkThatAnswersNoEndsTheWindow() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(49);
        first.checked(nanos(49), false);
        script.holds(script.two, "b", "k", 2);
        assertClean(script.check());
    }

    @Test
    void renewalMovesTheEnd() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(90);
        first.renew();
        first.renewed(nanos(190));
        script.at(150).holds(script.two, "b", "k", 2);
        assertBroken(script.check(), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void renewalAnsweredTooLateLeavesAGap() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(95);
        first.renew();
        RecordedAttempt second = script.at(110).holds(script.two, "b", "k", 2);
        script.at(120);
        second.release();
        second.released();
        script.at(150);
        first.renewed(nanos(190));
        assertThat(script.check().count(Invariant.H2_WINDOW_EXCLUSIVITY)).isZero();
    }

    @Test
    void unknownRenewalMovesNothing() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(90);
        first.renew();
        first.renewUnknown();
        script.at(101).holds(script.two, "b", "k", 2);
        assertClean(script.check());
    }

    @Test
    void oneOwnerDoesNotExcludeItself() {
        script.holds(script.one, "a", "k", 1);
        script.at(50).holds(script.one, "a", "k", 2);
        assertClean(script.check());
    }

    @Test
    void sharedHoldersMayOverlap() {
        shared(script.one, "a", 1);
        shared(script.two, "b", 2);
        assertClean(script.check());
    }

    @Test
    void sharedAndExclusiveExcludeEachOther() {
        shared(script.one, "a", 1);
        script.at(50).holds(script.two, "b", "k", 2);
        assertBroken(script.check(), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void permitsUpToTheCapacityAreAllowed() {
        permits(script.one, "a", 1, 1);
        permits(script.two, "b", 2, 2);
        assertClean(script.check());
    }

    @Test
    void permitsBeyondTheCapacityAreAViolation() {
        permits(script.one, "a", 2, 1);
        permits(script.two, "b", 2, 2);
        assertBroken(script.check(), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void overlapWithinTheClockBoundIsUndecidable() {
        script.holds(script.one, "a", "k", 1);
        script.at(98).holds(script.two, "b", "k", 2);
        Verdict verdict = script.check(Script.LENIENT.clocksWithin(Duration.ofMillis(2)));
        assertClean(verdict);
        assertThat(verdict.figure(Figure.UNDECIDABLE)).isEqualTo(1);
    }

    @Test
    void overlapBeyondTheClockBoundIsAViolation() {
        script.holds(script.one, "a", "k", 1);
        script.at(97).holds(script.two, "b", "k", 2);
        assertBroken(script.check(Script.LENIENT.clocksWithin(Duration.ofMillis(2))), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void expectedBreakIsReportedWithItsSize() {
        script.holds(script.one, "a", "k", 1);
        RecordedFault step = script.at(40).harness.faultStarted("clock step");
        step.acted();
        step.stopped();
        script.at(50).holds(script.two, "b", "k", 2);
        Verdict verdict = script.check(Script.LENIENT.exclusivityMayBreakIn("clock step"));
        assertClean(verdict);
        assertThat(verdict.figure(Figure.EXPECTED_BREAKS)).isEqualTo(1);
        assertThat(verdict.figure(Figure.EXPECTED_BREAK_MAX)).isEqualTo(nanos(50));
    }

    @Test
    void expectedBreakMustBeNearItsFault() {
        RecordedFault step = script.harness.faultStarted("clock step");
        step.acted();
        step.stopped();
        script.at(101).holds(script.one, "a", "k", 1);
        script.at(150).holds(script.two, "b", "k", 2);
        assertBroken(script.check(Script.LENIENT.exclusivityMayBreakIn("clock step")), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void overlapInOneProcessNeedsNoClockBound() {
        script.holds(script.one, "a", "k", 1);
        script.at(99).holds(script.one, "b", "k", 2);
        assertBroken(script.check(Script.LENIENT.clocksWithin(Duration.ofMillis(2))), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void answerToAnOlderRenewalShortensNoWindow() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(30);
        int early = first.renew();
        script.at(60);
        int late = first.renew();
        script.at(61);
        first.renewed(late, nanos(160));
        first.renewed(early, nanos(130));
        script.at(140).holds(script.two, "b", "k", 2);
        assertBroken(script.check(), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void newerRenewalMayShortenTheWindow() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(30);
        first.renew();
        first.renewed(nanos(60));
        script.at(60).holds(script.two, "b", "k", 2);
        assertClean(script.check());
    }

    @Test
    void permitsHeldForLessThanTheClockBoundAreUndecidable() {
        permits(script.one, "a", 2, 1);
        RecordedAttempt brief = script.two.acquirePermits("k", Recorder.hash("b"), 2, 3, nanos(Script.LEASE));
        brief.granted(2, script.now() + nanos(2));
        script.at(10).harness.freeAtRest("k");
        Verdict verdict = script.check(Script.LENIENT.clocksWithin(Duration.ofMillis(2)));
        assertClean(verdict);
        assertThat(verdict.figure(Figure.UNDECIDABLE)).isEqualTo(1);
    }

    @Test
    void overlapThatBeganBeforeTheFaultIsNotExpected() {
        script.holds(script.one, "a", "k", 1);
        script.at(50).holds(script.two, "b", "k", 2);
        RecordedFault step = script.at(90).harness.faultStarted("clock step");
        step.acted();
        step.stopped();
        script.at(300).holds(script.one, "c", "k", 3);
        assertBroken(script.check(Script.LENIENT.exclusivityMayBreakIn("clock step")), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void overlapLongerThanALeaseAfterTheFaultIsNotExpected() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        RecordedFault step = script.at(40).harness.faultStarted("clock step");
        step.acted();
        step.stopped();
        RecordedAttempt second = script.at(50).holds(script.two, "b", "k", 2);
        script.at(90);
        first.renewed(nanos(190));
        second.renewed(nanos(190));
        assertBroken(script.check(Script.LENIENT.exclusivityMayBreakIn("clock step")), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void consecutiveFaultsExcuseALongerOverlap() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        RecordedFault cut = script.at(40).harness.faultStarted("split");
        cut.acted();
        RecordedAttempt second = script.at(50).holds(script.two, "b", "k", 2);
        script.at(60);
        cut.stopped();
        RecordedFault again = script.at(80).harness.faultStarted("split");
        again.acted();
        script.at(90);
        first.renewed(nanos(190));
        second.renewed(nanos(190));
        script.at(100);
        again.stopped();
        Verdict verdict = script.check(Script.LENIENT.exclusivityMayBreakIn("split"));
        assertClean(verdict);
        assertThat(verdict.figure(Figure.EXPECTED_BREAK_MAX)).isEqualTo(nanos(139));
    }

    @Test
    void renewalAnsweredAfterTheNoticeOpensNoWindow() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(50);
        first.lost();
        script.at(60);
        first.renewed(nanos(190));
        script.at(70).holds(script.two, "b", "k", 2);
        assertClean(script.check());
    }

    @Test
    void renewalAnsweredAfterTheReleaseOpensNoWindow() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(50);
        first.release();
        first.releaseUnknown();
        script.at(60);
        first.renewed(nanos(190));
        script.at(110).holds(script.two, "b", "k", 2);
        assertClean(script.check());
    }

    @Test
    void refusedRenewalEndsTheWindow() {
        RecordedAttempt first = script.holds(script.one, "a", "k", 1);
        script.at(49);
        first.renew();
        first.renewRefused();
        script.holds(script.two, "b", "k", 2);
        assertClean(script.check());
    }

    @Test
    void overlapLastsUntilEitherWindowEnds() {
        script.holds(script.one, "a", "k", 1);
        RecordedAttempt second = script.at(50).holds(script.two, "b", "k", 2);
        script.at(60);
        second.release();
        assertThat(script.check().figure(Figure.OVERLAP_MAX)).isEqualTo(nanos(9));
    }

    @Test
    void sharedAndPermitsExcludeEachOther() {
        shared(script.one, "a", 1);
        permits(script.two, "b", 3, 2);
        // Only once: a shared holder uses no permit.
        assertThat(script.check().count(Invariant.H2_WINDOW_EXCLUSIVITY)).isEqualTo(1);
    }

    @Test
    void endedWindowHidesNoOlderOne() {
        shared(script.one, "a", 1);
        RecordedAttempt brief = script.two.acquireShared("k", Recorder.hash("b"), nanos(Script.LEASE));
        brief.granted(2, nanos(90));
        script.at(10);
        brief.release();
        script.at(50).holds(script.two, "c", "k", 3);
        assertBroken(script.check(), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void releasedPermitsDoNotCount() {
        permits(script.one, "a", 1, 1);
        RecordedAttempt brief = script.two.acquirePermits("k", Recorder.hash("b"), 1, 3, nanos(Script.LEASE));
        brief.granted(2, nanos(90));
        script.at(2);
        permits(script.one, "c", 1, 3);
        script.at(10);
        brief.release();
        script.at(20);
        permits(script.two, "d", 1, 4);
        Verdict verdict = script.check();
        assertClean(verdict);
        assertThat(verdict.figure(Figure.UNDECIDABLE)).isZero();
    }

    @Test
    void permitsThatMayHaveEndedDoNotMakeAnotherSumUndecidable() {
        RecordedAttempt ending = script.two.acquirePermits("k", Recorder.hash("a"), 1, 3, nanos(Script.LEASE));
        ending.granted(1, nanos(3));
        permits(script.one, "b", 2, 2);
        script.at(2);
        permits(script.two, "c", 2, 3);
        assertBroken(script.check(Script.LENIENT.clocksWithin(Duration.ofMillis(2))), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void faultOfAnotherKindExcusesNoOverlap() {
        script.holds(script.one, "a", "k", 1);
        RecordedFault cut = script.at(40).harness.faultStarted("cut");
        cut.acted();
        cut.stopped();
        script.at(50).holds(script.two, "b", "k", 2);
        assertBroken(script.check(Script.LENIENT.exclusivityMayBreakIn("clock step")), Invariant.H2_WINDOW_EXCLUSIVITY);
    }

    @Test
    void faultMayHaveBegunBeforeTheOverlapByTheClocks() {
        script.holds(script.one, "a", "k", 1);
        script.at(50).holds(script.two, "b", "k", 2);
        RecordedFault step = script.at(53).harness.faultStarted("clock step");
        step.acted();
        step.stopped();
        script.at(300).holds(script.one, "c", "k", 3);
        Expectations stepped =
                Script.LENIENT.exclusivityMayBreakIn("clock step").clocksWithin(Duration.ofMillis(2));
        assertClean(script.check(stepped));
    }

    private void shared(Recorder process, String owner, long token) {
        RecordedAttempt attempt = process.acquireShared("k", Recorder.hash(owner), nanos(Script.LEASE));
        attempt.granted(token, script.now() + nanos(Script.LEASE));
        script.at(script.now() / nanos(1) + 1).harness.freeAtRest("k");
    }

    private void permits(Recorder process, String owner, int permits, long token) {
        RecordedAttempt attempt = process.acquirePermits("k", Recorder.hash(owner), permits, 3, nanos(Script.LEASE));
        attempt.granted(token, script.now() + nanos(Script.LEASE));
        script.at(script.now() / nanos(1) + 1).harness.freeAtRest("k");
    }
}
