package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** H11 without recorded waits: the waits are derived from requests and grants. */
class DerivedWaitsHistoryTest {
    private final Script script = new Script();
    private final Expectations soon = Script.LENIENT.derivingWaits().deadlocksBrokenWithin(Duration.ofMillis(30));
    private final RecordedAttempt k = script.holds(script.one, "a", "k", 1);
    private final RecordedAttempt l = script.holds(script.two, "b", "l", 2);

    private void release(RecordedAttempt held) {
        held.release();
        held.released();
    }

    @Test
    void victimOnACycleIsCorrect() {
        RecordedAttempt first = script.asks(script.one, "a", "l");
        RecordedAttempt last = script.asks(script.two, "b", "k");
        script.at(20);
        last.deadlockVictim();
        last.cancelled();
        release(l);
        first.granted(3, script.now() + Script.nanos(50));
        release(first);
        release(k);
        assertClean(script.check(soon));
    }

    @Test
    void victimWhoseHolderDoesNotWaitIsAPhantom() {
        RecordedAttempt last = script.asks(script.two, "b", "k");
        script.at(20);
        last.deadlockVictim();
        last.cancelled();
        release(l);
        release(k);
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    /** The holder released the key before it began to wait itself. */
    @Test
    void victimOfAReleasedKeyIsAPhantom() {
        release(k);
        script.at(5);
        RecordedAttempt first = script.asks(script.one, "a", "l");
        RecordedAttempt last = script.asks(script.two, "b", "k");
        script.at(20);
        last.deadlockVictim();
        last.cancelled();
        release(l);
        first.cancelled();
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    @Test
    void lastingCycleWithoutVictimIsAViolation() {
        RecordedAttempt first = script.asks(script.one, "a", "l");
        RecordedAttempt last = script.asks(script.two, "b", "k");
        script.at(script.now() / 1_000_000 + 40);
        last.timedOut();
        first.timedOut();
        release(l);
        release(k);
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    /** A wait that began under one holder continues for the next holder of the key. */
    @Test
    void waitContinuesForTheNextHolder() {
        RecordedAttempt waits = script.asks(script.two, "b", "k");
        RecordedAttempt between = script.asks(script.one, "c", "k");
        script.at(5);
        release(k);
        between.granted(4, script.now() + Script.nanos(90));
        RecordedAttempt back = script.asks(script.one, "c", "l");
        script.at(20);
        back.deadlockVictim();
        back.cancelled();
        release(between);
        waits.granted(5, script.now() + Script.nanos(50));
        release(waits);
        release(l);
        assertClean(script.check(soon));
    }
}
