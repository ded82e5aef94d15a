package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;
import static dev.interlock.testkit.history.Script.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** H7: a holder is notified of its loss before it continues past its validity. */
class NoticeHistoryTest {
    private final Script script = new Script();

    private final Expectations soon = Script.LENIENT.notifiedWithin(Duration.ofMillis(5));

    @Test
    void stepAfterTheValidityWithoutNoticeIsAViolation() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(107);
        attempt.step();
        assertBroken(script.check(soon), Invariant.H7_NOTIFIED_IN_TIME);
    }

    @Test
    void noticeMayComeWithinTheBound() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(106);
        attempt.step();
        assertClean(script.check(soon));
    }

    @Test
    void notifiedHolderMayCleanUp() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(101);
        attempt.lost();
        script.at(200);
        attempt.exit();
        Verdict verdict = script.check(soon);
        assertClean(verdict);
        assertThat(verdict.figure(Figure.NOTICE_MAX)).isZero();
    }

    @Test
    void renewalMovesTheMomentOfTheNotice() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(90);
        attempt.renew();
        attempt.renewed(nanos(190));
        script.at(195);
        attempt.step();
        assertClean(script.check(soon));
    }

    @Test
    void pausedProcessIsNotifiedAfterItsPause() {
        pausedStep(1);
        assertClean(script.check(soon));
    }

    @Test
    void pauseOfAnotherProcessExcusesNothing() {
        pausedStep(2);
        assertBroken(script.check(soon), Invariant.H7_NOTIFIED_IN_TIME);
    }

    private void pausedStep(int paused) {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        RecordedFault pause = script.at(50).harness.faultStarted("pause", paused);
        pause.acted();
        script.at(300);
        pause.stopped();
        script.at(303);
        attempt.step();
        script.at(304).holds(script.two, "b", "k", 2);
    }

    @Test
    void checkAfterTheValidityAnswersNo() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(200);
        attempt.checked(nanos(107), true);
        assertBroken(script.check(soon), Invariant.H7_NOTIFIED_IN_TIME);
    }

    @Test
    void checkMadeInTimeMayAnswerYes() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(200);
        attempt.checked(nanos(100), true);
        assertClean(script.check(soon));
    }

    @Test
    void answerToAnOlderRenewalEndsNothing() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(30);
        int early = attempt.renew();
        script.at(60);
        int late = attempt.renew();
        script.at(61);
        attempt.renewed(late, nanos(160));
        attempt.renewed(early, nanos(130));
        script.at(155);
        attempt.step();
        assertClean(script.check(soon));
    }

    @Test
    void repeatedGrantEndsNothing() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(90);
        attempt.renew();
        attempt.renewed(nanos(190));
        attempt.granted(1, nanos(101));
        script.at(180);
        attempt.step();
        assertClean(script.check(soon));
    }

    @Test
    void pausesAtTheSameTimeCountOnce() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        RecordedFault pause = script.at(101).harness.faultStarted("pause", 1);
        RecordedFault other = script.harness.faultStarted("pause", 1);
        pause.acted();
        script.at(201);
        pause.stopped();
        other.stopped();
        script.at(301);
        attempt.step();
        script.at(304).holds(script.two, "b", "k", 2);
        assertBroken(script.check(soon), Invariant.H7_NOTIFIED_IN_TIME);
    }

    @Test
    void pauseOfEverythingIsAPauseOfEachProcess() {
        pausedStep(-1);
        assertClean(script.check(soon));
    }

    @Test
    void checkAfterTheValidityAnswersNoEvenWithAPendingRelease() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(50);
        attempt.release();
        attempt.releaseUnknown();
        script.at(200);
        attempt.checked(nanos(200), true);
        assertBroken(script.check(soon), Invariant.H7_NOTIFIED_IN_TIME);
    }

    @Test
    void sectionWithoutAGrantIsAViolation() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.unknown();
        script.at(1);
        attempt.enter();
        assertBroken(script.check(soon), Invariant.H7_NOTIFIED_IN_TIME);
    }

    @Test
    void formerHolderThatReleasedNeedsNoNotice() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(50);
        attempt.release();
        attempt.releaseUnknown();
        script.at(200);
        attempt.exit();
        assertClean(script.check(soon));
    }

    @Test
    void writeAfterTheValidityWithoutNoticeIsAViolation() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(107);
        attempt.write(0, 1);
        assertBroken(script.check(soon), Invariant.H7_NOTIFIED_IN_TIME);
    }

    @Test
    void writeMayBeAnsweredAfterTheValidity() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(90);
        attempt.write(0, 1);
        script.at(107);
        attempt.writeUnknown(0, 1);
        assertClean(script.check(soon));
    }

    @Test
    void otherFaultOfTheProcessIsNoPause() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        RecordedFault slow = script.at(50).harness.faultStarted("slow", 1);
        slow.acted();
        script.at(107);
        attempt.step();
        slow.stopped();
        script.at(110).holds(script.two, "b", "k", 2);
        assertBroken(script.check(soon), Invariant.H7_NOTIFIED_IN_TIME);
    }
}
