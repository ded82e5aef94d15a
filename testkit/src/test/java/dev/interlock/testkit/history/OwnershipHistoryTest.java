package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;
import static dev.interlock.testkit.history.Script.nanos;

import org.junit.jupiter.api.Test;

/** H5: renewal and release succeed only for the current owner. */
class OwnershipHistoryTest {
    private final Script script = new Script();

    private RecordedAttempt former;

    private void takenOver() {
        former = script.holds(script.one, "a", "k", 1);
        script.at(110).holds(script.two, "b", "k", 2);
    }

    @Test
    void formerOwnerCannotRenew() {
        takenOver();
        script.at(120);
        former.renew();
        former.renewed(nanos(110));
        assertBroken(script.check(), Invariant.H5_OWNERSHIP);
    }

    @Test
    void formerOwnerCannotRelease() {
        takenOver();
        script.at(120);
        former.release();
        former.released();
        assertBroken(script.check(), Invariant.H5_OWNERSHIP);
    }

    @Test
    void formerOwnerMayBeRefused() {
        takenOver();
        script.at(120);
        former.renew();
        former.renewRefused();
        former.release();
        former.wasLost();
        assertClean(script.check());
    }

    @Test
    void releaseRequestedBeforeTheTakeoverMaySucceed() {
        former = script.holds(script.one, "a", "k", 1);
        script.at(105);
        former.release();
        script.at(110).holds(script.two, "b", "k", 2);
        script.at(120);
        former.released();
        assertClean(script.check());
    }

    @Test
    void answerToAnOlderRenewalProvesNothing() {
        former = script.holds(script.one, "a", "k", 1);
        script.at(50);
        int early = former.renew();
        script.at(160).holds(script.two, "b", "k", 2);
        script.at(170);
        former.renew();
        former.renewed(early, nanos(150));
        assertClean(script.check());
    }

    @Test
    void nothingIsRenewedAfterItsRelease() {
        former = script.holds(script.one, "a", "k", 1);
        script.at(10);
        former.release();
        former.released();
        script.at(20);
        former.renew();
        former.renewed(nanos(120));
        assertBroken(script.check(), Invariant.H5_OWNERSHIP);
    }

    @Test
    void sharedOwnerStaysAnOwnerBesideAnother() {
        RecordedAttempt shared = script.one.acquireShared("k", 1, nanos(100));
        shared.granted(1, nanos(100));
        RecordedAttempt other = script.two.acquireShared("k", 2, nanos(100));
        other.granted(2, nanos(100));
        script.at(50);
        shared.renew();
        shared.renewed(nanos(150));
        script.harness.freeAtRest("k");
        assertClean(script.check());
    }

    @Test
    void ownerThatReacquiredCannotReleaseItsFormerHold() {
        former = script.holds(script.one, "a", "k", 1);
        script.at(110).holds(script.one, "a", "k", 2);
        script.at(120);
        former.release();
        former.released();
        assertBroken(script.check(), Invariant.H5_OWNERSHIP);
    }

    @Test
    void renewalRequestedAfterTheTakeoverCountsDespiteANewerPendingOne() {
        takenOver();
        script.at(120);
        int early = former.renew();
        script.at(125);
        former.renew();
        former.renewed(early, nanos(110));
        assertBroken(script.check(), Invariant.H5_OWNERSHIP);
    }

    @Test
    void repeatedReleaseMayReceiveTheAnswerToTheFirst() {
        former = script.holds(script.one, "a", "k", 1);
        script.at(105);
        former.release();
        script.at(110).holds(script.two, "b", "k", 2);
        script.at(120);
        former.release();
        former.released();
        assertClean(script.check());
    }

    @Test
    void sharedFormerOwnerCannotRenewAfterAnExclusiveOne() {
        former = script.one.acquireShared("k", 1, nanos(100));
        former.granted(1, nanos(100));
        script.at(110).holds(script.two, "b", "k", 2);
        script.at(120);
        former.renew();
        former.renewed(nanos(110));
        assertBroken(script.check(), Invariant.H5_OWNERSHIP);
    }

    @Test
    void lateGrantMayBeReturnedAfterAnEarlierHolder() {
        former = script.holds(script.two, "b", "k", 1);
        former.release();
        former.released();
        RecordedAttempt late = script.asks(script.one, "a", "k");
        late.timedOut();
        script.at(10);
        late.lateGrant(2);
        late.release();
        late.released();
        assertClean(script.check());
    }

    @Test
    void permitHolderStaysAnOwnerBesideAnother() {
        RecordedAttempt permits = script.one.acquirePermits("k", 1, 1, 3, nanos(100));
        permits.granted(1, nanos(100));
        script.two.acquirePermits("k", 2, 1, 3, nanos(100)).granted(2, nanos(100));
        script.at(50);
        permits.renew();
        permits.renewed(nanos(150));
        script.harness.freeAtRest("k");
        assertClean(script.check());
    }

    @Test
    void renewalRequestedBeforeTheReleaseMayBeAnsweredAfterIt() {
        former = script.holds(script.one, "a", "k", 1);
        script.at(10);
        former.renew();
        script.at(11);
        former.release();
        former.released();
        script.at(12);
        former.renewed(nanos(110));
        assertClean(script.check());
    }

    @Test
    void faultLongAgoExcusesNoFormerOwner() {
        RecordedFault step = script.harness.faultStarted("clock step");
        step.acted();
        step.stopped();
        takenOver();
        script.at(120);
        former.release();
        former.released();
        assertBroken(script.check(Script.LENIENT.exclusivityMayBreakIn("clock step")), Invariant.H5_OWNERSHIP);
    }
}
