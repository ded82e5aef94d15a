package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;

import org.junit.jupiter.api.Test;

/** H9: re-entry keeps the token, and the depth is correct. */
class ReentryHistoryTest {
    private final Script script = new Script();

    @Test
    void reentryKeepsTheToken() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 7);
        attempt.reentered(7, 2);
        attempt.left(1);
        assertClean(script.check());
    }

    @Test
    void newTokenOnReentryIsAViolation() {
        script.holds(script.one, "a", "k", 7).reentered(8, 2);
        assertBroken(script.check(), Invariant.H9_REENTRANCY);
    }

    @Test
    void wrongDepthIsAViolation() {
        script.holds(script.one, "a", "k", 7).reentered(7, 3);
        assertBroken(script.check(), Invariant.H9_REENTRANCY);
    }

    @Test
    void negativeDepthIsAViolation() {
        RecordedAttempt attempt = script.holds(script.one, "a", "k", 7);
        attempt.left(0);
        attempt.left(-1);
        assertBroken(script.check(), Invariant.H9_REENTRANCY);
    }
}
