package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;
import static dev.interlock.testkit.history.Script.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** H6: a wait that ended is never granted or used. */
class EndedWaitHistoryTest {
    private final Script script = new Script();

    @Test
    void endedWaitIsNotGranted() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.timedOut();
        script.at(10);
        attempt.granted(1, nanos(100));
        assertBroken(script.check(), Invariant.H6_NO_LATE_GRANT);
    }

    @Test
    void endedWaitIsNotUsed() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.cancelled();
        script.at(10);
        attempt.enter();
        assertBroken(script.check(), Invariant.H6_NO_LATE_GRANT);
    }

    @Test
    void lateGrantThatIsReturnedIsAllowed() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.interrupted();
        script.at(10);
        attempt.lateGrant(1);
        attempt.release();
        attempt.released();
        assertClean(script.check());
    }

    @Test
    void endedWaitHoldsNothingAtRest() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.closed();
        script.at(1_000).harness.heldAtRest("k", attempt.owner(), 1);
        Verdict verdict = script.check();
        assertThat(verdict.count(Invariant.H6_NO_LATE_GRANT)).isEqualTo(1);
        assertThat(verdict.count(Invariant.H8_LIVENESS)).isEqualTo(1);
    }

    @Test
    void endedWaitMayHoldUntilItsGrantIsReturned() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.timedOut();
        script.at(299).harness.heldAtRest("k", attempt.owner(), 1);
        assertClean(script.check());
    }

    @Test
    void openWaitOfTheOwnerExplainsTheHold() {
        RecordedAttempt ended = script.asks(script.one, "a", "k");
        ended.busy();
        script.asks(script.one, "a", "k");
        script.at(1_000).harness.heldAtRest("k", ended.owner(), 1);
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void endedWaitMayEndAgain() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.timedOut();
        script.at(1);
        attempt.closed();
        assertClean(script.check());
    }

    @Test
    void endedWaitIsNotRenewed() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.timedOut();
        script.at(10);
        attempt.renew();
        attempt.renewed(nanos(100));
        assertBroken(script.check(), Invariant.H6_NO_LATE_GRANT);
    }

    @Test
    void endedWaitIsNotUsedForWrites() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.timedOut();
        script.at(10);
        attempt.write(0, 1);
        attempt.writeRefused(0, 1);
        assertBroken(script.check(), Invariant.H6_NO_LATE_GRANT);
    }

    @Test
    void endedWaitIsNotReentered() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.timedOut();
        script.at(10);
        attempt.reentered(1, 2);
        assertBroken(script.check(), Invariant.H6_NO_LATE_GRANT);
    }

    @Test
    void earlierGrantOfTheOwnerExplainsNothing() {
        RecordedAttempt before = script.holds(script.one, "a", "k", 1);
        before.release();
        before.released();
        script.holds(script.one, "a", "other", 2);
        script.asks(script.one, "a", "k").timedOut();
        script.at(1_000).harness.heldAtRest("k", before.owner(), 2);
        assertThat(script.check().count(Invariant.H6_NO_LATE_GRANT)).isEqualTo(1);
    }

    @Test
    void endedWaitForAnotherKeyIsNoOrphan() {
        RecordedAttempt attempt = script.asks(script.one, "a", "other");
        attempt.timedOut();
        script.at(1_000).harness.heldAtRest("k", attempt.owner(), 1);
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void faultMayKeepAnEndedWaitFromBeingWithdrawn() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        attempt.timedOut();
        RecordedFault cut = script.at(500).harness.faultStarted("cut");
        cut.acted();
        script.at(700);
        cut.stopped();
        script.holds(script.two, "b", "other", 1);
        script.at(999).harness.heldAtRest("k", attempt.owner(), 1);
        assertClean(script.check());
    }
}
