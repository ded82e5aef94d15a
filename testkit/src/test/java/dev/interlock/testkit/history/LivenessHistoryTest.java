package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;
import static dev.interlock.testkit.history.Script.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** H8: a requested free key is granted in time, and nothing is held at rest. */
class LivenessHistoryTest {
    private static final Expectations SOON = Script.LENIENT.grantedWithin(Duration.ofMillis(50));

    private final Script script = new Script();

    @Test
    void requestedFreeKeyIsGrantedWithinTheBound() {
        waitFor(300);
        assertClean(script.check());
    }

    @Test
    void requestedFreeKeyGrantedAfterTheBoundIsAViolation() {
        waitFor(301);
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void refusalsCountAsWaiting() {
        for (int millis = 0; millis <= 400; millis += 50) {
            script.at(millis).asks(script.one, "a" + millis, "k").busy();
        }
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void cancelledWaitProvesNothing() {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        script.at(1_000);
        attempt.cancelled();
        assertClean(script.check());
    }

    @Test
    void holderExplainsTheWait() {
        RecordedAttempt holder = script.one.acquire("k", 1, nanos(Script.LEASE));
        holder.granted(1, nanos(5_000));
        RecordedAttempt attempt = script.asks(script.two, "b", "k");
        script.at(5_000);
        attempt.timedOut();
        assertClean(script.check());
    }

    @Test
    void unknownOutcomeExplainsTheWaitForOneLease() {
        script.asks(script.one, "a", "k").unknown();
        RecordedAttempt attempt = script.asks(script.two, "b", "k");
        script.at(400);
        attempt.timedOut();
        assertClean(script.check());
    }

    @Test
    void unknownOutcomeDoesNotExplainALongerWait() {
        script.asks(script.one, "a", "k").unknown();
        RecordedAttempt attempt = script.asks(script.two, "b", "k");
        script.at(401);
        attempt.timedOut();
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void waitCountsFromTheEndOfTheLastFault() {
        RecordedFault fault = script.harness.faultStarted("cut");
        fault.acted();
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        script.at(900);
        fault.stopped();
        script.at(1_200);
        attempt.granted(1, nanos(1_290));
        assertClean(script.check());
    }

    @Test
    void keyHeldAtRestIsAViolation() {
        script.holds(script.one, "a", "k", 1);
        script.at(401).harness.heldAtRest("k", Recorder.hash("a"), 1);
        Verdict verdict = script.check();
        assertBroken(verdict, Invariant.H8_LIVENESS);
        assertThat(verdict.figure(Figure.STUCK_AT_REST)).isEqualTo(1);
    }

    @Test
    void keyHeldSoonAfterItsValidityIsNotStuck() {
        script.holds(script.one, "a", "k", 1);
        script.at(400).harness.heldAtRest("k", Recorder.hash("a"), 1);
        assertClean(script.check());
    }

    @Test
    void waitThatNeverEndsIsAViolation() {
        script.asks(script.one, "a", "k");
        script.at(301).holds(script.one, "b", "other", 1);
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void waitThatIsStillOpenMayEndInTime() {
        script.asks(script.one, "a", "k");
        script.at(299).holds(script.one, "b", "other", 1);
        assertClean(script.check());
    }

    @Test
    void deadProcessLeavesItsWaitOpen() {
        script.asks(script.one, "a", "k");
        script.at(1_000).holds(script.two, "b", "other", 1);
        assertClean(script.check());
    }

    @Test
    void cancelledWaitsDoNotAddUp() {
        for (int millis = 0; millis <= 400; millis += 50) {
            script.at(millis).asks(script.one, "a" + millis, "k").cancelled();
        }
        script.at(401).holds(script.two, "b", "k", 1);
        assertClean(script.check());
    }

    @Test
    void waitCountsFromTheFirstRequest() {
        RecordedAttempt patient = script.asks(script.one, "a", "k");
        script.at(10).asks(script.two, "b", "k").cancelled();
        script.at(150).asks(script.two, "c", "k").cancelled();
        script.at(301);
        patient.timedOut();
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void renewalAfterTheLossExplainsNothing() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(101);
        attempt.lost();
        for (int millis = 110; millis < 1_000; millis += 50) {
            script.at(millis);
            attempt.renew();
            attempt.renewed(nanos(millis + 100));
        }
        script.harness.heldAtRest("k", attempt.owner(), 1);
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void releaseLeavesTheUnknownGrantOfAnotherOwnerPossible() {
        RecordedAttempt holder = script.holds(script.one, "a", "k", 1);
        script.at(10).asks(script.two, "b", "k").unknown();
        script.at(20);
        holder.release();
        holder.released();
        RecordedAttempt attempt = script.asks(script.one, "c", "k");
        script.at(160);
        attempt.timedOut();
        assertClean(script.check(SOON));
    }

    @Test
    void repeatedGrantIsNoSecondWait() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 1);
        script.at(10);
        attempt.release();
        attempt.released();
        script.at(400);
        attempt.granted(1, nanos(101));
        assertClean(script.check());
    }

    @Test
    void requestsFarApartDoNotMakeOneDemand() {
        for (int millis = 0; millis <= 404; millis += 101) {
            script.at(millis).asks(script.one, "a" + millis, "k").busy();
        }
        assertClean(script.check());
    }

    @Test
    void interruptedAndClosedWaitsProveNothing() {
        RecordedAttempt first = script.asks(script.one, "a", "k");
        RecordedAttempt second = script.asks(script.one, "b", "k");
        script.at(1_000);
        first.interrupted();
        second.closed();
        assertClean(script.check());
    }

    @Test
    void waitWithinTheClockBoundProvesNothing() {
        waitFor(301);
        assertClean(script.check(Script.LENIENT.clocksWithin(Duration.ofMillis(1))));
    }

    @Test
    void releaseFreesTheKey() {
        RecordedAttempt holder = script.asks(script.one, "a", "k");
        holder.granted(1, nanos(5_000));
        script.at(10);
        holder.release();
        holder.released();
        waitsUntil(311);
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void releaseOfOneSharedHolderFreesNothing() {
        script.one.acquireShared("k", 1, nanos(Script.LEASE)).granted(1, nanos(5_000));
        RecordedAttempt last = script.one.acquireShared("k", 2, nanos(Script.LEASE));
        last.granted(2, nanos(5_000));
        script.at(10);
        last.release();
        last.released();
        waitsUntil(311);
        assertClean(script.check());
    }

    @Test
    void releaseOfAFormerHolderFreesNothing() {
        RecordedAttempt former = script.holds(script.one, "a", "k", 1);
        script.at(105);
        former.release();
        script.at(109).holds(script.two, "b", "k", 2);
        script.at(120);
        former.released();
        waitsUntil(260);
        assertClean(script.check(SOON));
    }

    @Test
    void pendingRenewalExplainsTheWaitForOneLease() {
        RecordedAttempt holder = script.holds(script.one, "a", "k", 1);
        script.at(100);
        holder.renew();
        waitsUntil(250);
        assertClean(script.check(SOON));
    }

    @Test
    void renewalRequestedBeforeTheLossExplainsTheWaitUntilItsAnswer() {
        RecordedAttempt holder = script.holds(script.one, "a", "k", 1);
        script.at(100);
        holder.renew();
        script.at(101);
        holder.lost();
        script.at(150);
        holder.renewUnknown();
        waitsUntil(300);
        assertClean(script.check(SOON));
    }

    @Test
    void renewalAfterTheReleaseExplainsNothing() {
        RecordedAttempt holder = script.holds(script.one, "a", "k", 1);
        holder.release();
        holder.releaseUnknown();
        script.at(900);
        holder.renew();
        holder.renewUnknown();
        script.at(1_000).harness.heldAtRest("k", holder.owner(), 1);
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void lateGrantExplainsTheWaitForOneLease() {
        RecordedAttempt late = script.asks(script.one, "a", "k");
        late.timedOut();
        script.at(10);
        late.lateGrant(1);
        waitsUntil(160);
        assertClean(script.check(SOON));
    }

    @Test
    void faultWithoutAnEndIsOverOnceItHasBegun() {
        script.harness.faultStarted("kill", 2).acted();
        waitFor(301);
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void everyFaultMustBeOver() {
        RecordedFault first = script.harness.faultStarted("cut");
        first.acted();
        first.stopped();
        RecordedFault second = script.harness.faultStarted("cut");
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        script.at(100);
        second.stopped();
        script.at(400);
        attempt.granted(1, nanos(490));
        assertClean(script.check());
    }

    @Test
    void keyHeldSoonAfterTheLastFaultIsNotStuck() {
        script.holds(script.one, "a", "k", 1);
        RecordedFault cut = script.at(500).harness.faultStarted("cut");
        cut.acted();
        script.at(700);
        cut.stopped();
        script.holds(script.two, "b", "other", 1);
        script.at(999).harness.heldAtRest("k", Recorder.hash("a"), 1);
        assertClean(script.check());
    }

    @Test
    void longestLeaseCountsNotTheLast() {
        script.one.acquire("k", 1, nanos(200)).granted(1, nanos(100));
        script.at(110);
        script.two.acquire("other", 2, nanos(10)).granted(1, nanos(120));
        script.at(699).harness.heldAtRest("k", 1, 1);
        script.harness.freeAtRest("other");
        assertClean(script.check());
    }

    private void waitsUntil(long millis) {
        RecordedAttempt attempt = script.asks(script.two, "waiter", "k");
        script.at(millis);
        attempt.timedOut();
    }

    private void waitFor(long millis) {
        RecordedAttempt attempt = script.asks(script.one, "a", "k");
        script.at(millis);
        attempt.granted(1, nanos(millis + 90));
    }
}
