package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** H11: victims were on cycles, and lasting cycles have victims. */
class DeadlockHistoryTest {
    private final Script script = new Script();

    private final Expectations soon = Script.LENIENT.deadlocksBrokenWithin(Duration.ofMillis(50));
    private final RecordedAttempt one = script.asks(script.one, "a", "k");
    private final RecordedAttempt two = script.asks(script.two, "b", "l");

    @Test
    void victimOnACycleIsCorrect() {
        one.waitsFor(two.owner());
        two.waitsFor(one.owner());
        script.at(50);
        two.deadlockVictim();
        two.cancelled();
        two.waitsNoLongerFor(one.owner());
        one.cancelled();
        one.waitsNoLongerFor(two.owner());
        assertClean(script.check(soon));
    }

    @Test
    void victimOfWaitsThatNeverOverlappedIsAPhantom() {
        one.waitsFor(two.owner());
        script.at(10);
        one.waitsNoLongerFor(two.owner());
        one.cancelled();
        script.at(11);
        two.waitsFor(one.owner());
        script.at(20);
        two.deadlockVictim();
        two.cancelled();
        two.waitsNoLongerFor(one.owner());
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    @Test
    void victimOfWaitsThatMayHaveOverlappedByTheClocksIsNoPhantom() {
        one.waitsFor(two.owner());
        script.at(10);
        one.waitsNoLongerFor(two.owner());
        one.cancelled();
        script.at(11);
        two.waitsFor(one.owner());
        script.at(20);
        two.deadlockVictim();
        two.cancelled();
        two.waitsNoLongerFor(one.owner());
        assertClean(script.check(soon.clocksWithin(Duration.ofMillis(1))));
    }

    @Test
    void lastingCycleWithoutVictimIsAViolation() {
        lastingCycle(51);
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    @Test
    void cycleMayLastAsLongAsTheBound() {
        lastingCycle(50);
        assertClean(script.check(soon));
    }

    @Test
    void deadProcessNoLongerWaits() {
        one.waitsFor(two.owner());
        two.waitsFor(one.owner());
        script.at(1_000);
        two.cancelled();
        two.waitsNoLongerFor(one.owner());
        assertClean(script.check(soon));
    }

    @Test
    void victimMayBeOnAnyOfSeveralCycles() {
        RecordedAttempt three = script.asks(script.two, "c", "m");
        two.waitsFor(one.owner());
        three.waitsFor(one.owner());
        // This wait closes two cycles at once.
        one.waitsFor(two.owner());
        one.waitsFor(three.owner());
        script.at(5);
        three.deadlockVictim();
        two.deadlockVictim();
        one.cancelled();
        two.cancelled();
        three.cancelled();
        assertClean(script.check(soon));
    }

    @Test
    void otherCycleOfTheSameWaitAlsoNeedsAVictim() {
        RecordedAttempt three = script.asks(script.two, "c", "m");
        two.waitsFor(one.owner());
        two.waitsFor(three.owner());
        three.waitsFor(one.owner());
        // This wait closes a short and a long cycle. The short one ends soon.
        script.at(1);
        one.waitsFor(two.owner());
        script.at(10);
        two.waitsNoLongerFor(one.owner());
        script.at(60);
        one.waitsNoLongerFor(two.owner());
        one.cancelled();
        two.cancelled();
        three.cancelled();
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    @Test
    void victimOfSeveralCyclesIsTheVictimOfEach() {
        RecordedAttempt three = script.asks(script.two, "c", "m");
        two.waitsFor(one.owner());
        two.waitsFor(three.owner());
        three.waitsFor(one.owner());
        script.at(1);
        one.waitsFor(two.owner());
        script.at(48);
        one.deadlockVictim();
        script.at(50);
        two.waitsNoLongerFor(one.owner());
        script.at(60);
        one.waitsNoLongerFor(two.owner());
        one.cancelled();
        two.cancelled();
        three.cancelled();
        assertClean(script.check(soon));
    }

    @Test
    void deadProcessOnAnotherCycleIsNoExcuse() {
        RecordedAttempt neighbour = script.asks(script.one, "c", "m");
        two.waitsFor(one.owner());
        neighbour.waitsFor(one.owner());
        script.at(1);
        one.waitsFor(two.owner());
        one.waitsFor(neighbour.owner());
        script.at(60);
        one.waitsNoLongerFor(neighbour.owner());
        one.cancelled();
        neighbour.cancelled();
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    @Test
    void timeInPausesOfAWaiterDoesNotCount() {
        RecordedFault pause = script.harness.faultStarted("pause", 2);
        pause.acted();
        one.waitsFor(two.owner());
        two.waitsFor(one.owner());
        script.at(100);
        pause.stopped();
        lastingCycleEnds(150);
        script.holds(script.one, "d", "n", 1);
        assertClean(script.check(soon));
    }

    @Test
    void waitForAScopeOnACycleIsNotOnTheCycle() {
        RecordedAttempt three = script.asks(script.two, "c", "m");
        one.waitsFor(three.owner());
        three.waitsFor(Recorder.hash("d"));
        one.waitsFor(two.owner());
        script.at(1);
        two.waitsFor(one.owner());
        two.deadlockVictim();
        script.at(2);
        three.deadlockVictim();
        one.cancelled();
        two.cancelled();
        three.cancelled();
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    @Test
    void cycleThatNeverEndsIsAViolation() {
        one.waitsFor(two.owner());
        two.waitsFor(one.owner());
        script.at(51);
        one.cancelled();
        two.cancelled();
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    @Test
    void cycleMayLastLongerByTheClocks() {
        lastingCycle(52);
        assertClean(script.check(soon.clocksWithin(Duration.ofMillis(1))));
    }

    private void lastingCycle(long millis) {
        one.waitsFor(two.owner());
        two.waitsFor(one.owner());
        lastingCycleEnds(millis);
    }

    private void lastingCycleEnds(long millis) {
        script.at(millis);
        one.waitsNoLongerFor(two.owner());
        one.cancelled();
        two.waitsNoLongerFor(one.owner());
        two.cancelled();
    }
}
