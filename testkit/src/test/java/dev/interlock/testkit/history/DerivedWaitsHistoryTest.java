package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** H11 where waits are not recorded: who waits for whom follows from who asks for and holds what. */
class DerivedWaitsHistoryTest {
    private final Script script = new Script();
    private final Expectations soon = Script.LENIENT.derivingWaits().deadlocksBrokenWithin(Duration.ofMillis(30));
    private final Attempt k = script.holds(script.one, "a", "k", 1);
    private final Attempt l = script.holds(script.two, "b", "l", 2);

    private void release(Attempt held) {
        held.release();
        held.released();
    }

    @Test
    void victimOnACycleIsRight() {
        Attempt first = script.asks(script.one, "a", "l");
        Attempt last = script.asks(script.two, "b", "k");
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
    void victimWhoseHolderWaitsForNobodyIsAPhantom() {
        Attempt last = script.asks(script.two, "b", "k");
        script.at(20);
        last.deadlockVictim();
        last.cancelled();
        release(l);
        release(k);
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    /** The holder gave the key back before it began to wait itself. */
    @Test
    void victimOfAKeyThatWasGivenBackIsAPhantom() {
        release(k);
        script.at(5);
        Attempt first = script.asks(script.one, "a", "l");
        Attempt last = script.asks(script.two, "b", "k");
        script.at(20);
        last.deadlockVictim();
        last.cancelled();
        release(l);
        first.cancelled();
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    @Test
    void lastingCycleWithoutVictimIsAViolation() {
        Attempt first = script.asks(script.one, "a", "l");
        Attempt last = script.asks(script.two, "b", "k");
        script.at(script.now() / 1_000_000 + 40);
        last.timedOut();
        first.timedOut();
        release(l);
        release(k);
        assertBroken(script.check(soon), Invariant.H11_DEADLOCK);
    }

    /** Whoever waited before the holder had the key waits for the new holder now. */
    @Test
    void waitGoesOnForTheNextHolder() {
        Attempt waits = script.asks(script.two, "b", "k");
        Attempt between = script.asks(script.one, "c", "k");
        script.at(5);
        release(k);
        between.granted(4, script.now() + Script.nanos(90));
        Attempt back = script.asks(script.one, "c", "l");
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
