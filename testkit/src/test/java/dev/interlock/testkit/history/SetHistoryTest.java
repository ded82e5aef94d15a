package dev.interlock.testkit.history;

import static dev.interlock.testkit.history.Script.assertBroken;
import static dev.interlock.testkit.history.Script.assertClean;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** H10: the keys of a set are acquired in order, and at rest all or none are held. */
class SetHistoryTest {
    private final Script script = new Script();

    private final long set = script.one.newSet();

    private RecordedAttempt take(String key, int position) {
        RecordedAttempt attempt = script.holds(script.one, "a", key, 1);
        attempt.inSet(set, position, 2);
        attempt.takenInSet(set, position, 2);
        return attempt;
    }

    @Test
    void keysAreAcquiredInTheirOrder() {
        take("a", 0);
        take("b", 1);
        assertClean(script.check());
    }

    @Test
    void keyBeforeItsTurnIsAViolation() {
        take("b", 1);
        take("a", 0);
        assertBroken(script.check(), Invariant.H10_MULTI_LOCK);
    }

    @Test
    void acquisitionMayRestart() {
        RecordedAttempt first = take("a", 0);
        first.release();
        first.released();
        script.at(200);
        RecordedAttempt again = script.holds(script.one, "a", "a", 2);
        again.takenInSet(set, 0, 2);
        take("b", 1);
        assertClean(script.check());
    }

    @Test
    void partOfASetAtRestIsAViolation() {
        take("a", 0);
        take("b", 1);
        script.at(1_000).harness.heldAtRest("a", Recorder.hash("a"), 1);
        Verdict verdict = script.check();
        assertThat(verdict.count(Invariant.H10_MULTI_LOCK)).isEqualTo(1);
    }

    @Test
    void completeSetAtRestIsAllowed() {
        take("a", 0);
        take("b", 1);
        script.at(1_000).harness.heldAtRest("a", Recorder.hash("a"), 1);
        script.harness.heldAtRest("b", Recorder.hash("a"), 1);
        Verdict verdict = script.check();
        assertThat(verdict.count(Invariant.H10_MULTI_LOCK)).isZero();
        assertThat(verdict.count(Invariant.H8_LIVENESS)).isEqualTo(2);
    }

    @Test
    void laterHoldOfTheSameOwnerIsNotPartOfTheSet() {
        take("a", 0);
        take("b", 1);
        script.at(1_000).harness.heldAtRest("a", Recorder.hash("a"), 2);
        assertThat(script.check().count(Invariant.H10_MULTI_LOCK)).isZero();
    }

    @Test
    void keyRequestedTwiceCountsOnce() {
        RecordedAttempt lost = script.asks(script.one, "a", "a");
        lost.inSet(set, 0, 2);
        lost.unknown();
        take("a", 0);
        script.at(1_000).harness.heldAtRest("a", Recorder.hash("a"), 1);
        assertThat(script.check().count(Invariant.H10_MULTI_LOCK)).isEqualTo(1);
    }

    @Test
    void partOfASetNeedNotBeginWithItsFirstKey() {
        RecordedAttempt attempt = script.holds(script.one, "a", "b", 1);
        attempt.inSet(set, 1, 2);
        script.at(1_000).harness.heldAtRest("b", Recorder.hash("a"), 1);
        assertThat(script.check().count(Invariant.H10_MULTI_LOCK)).isEqualTo(1);
    }

    @Test
    void partOfASetIsNotAtRestSoonAfterItsUse() {
        RecordedAttempt first = take("a", 0);
        take("b", 1);
        script.at(50);
        first.release();
        first.released();
        script.at(349).harness.heldAtRest("b", Recorder.hash("a"), 1);
        assertClean(script.check());
    }

    @Test
    void otherHoldOfTheOwnerIsNotPartOfTheSet() {
        script.holds(script.one, "a", "a", 1);
        RecordedAttempt refused = script.asks(script.one, "a", "a");
        refused.inSet(set, 0, 2);
        refused.busy();
        script.at(1_000).harness.heldAtRest("a", Recorder.hash("a"), 1);
        assertBroken(script.check(), Invariant.H8_LIVENESS);
    }

    @Test
    void holdOfAnotherOwnerIsNotPartOfTheSet() {
        take("a", 0);
        take("b", 1);
        script.at(1_000).harness.heldAtRest("a", Recorder.hash("b"), 1);
        assertThat(script.check().count(Invariant.H10_MULTI_LOCK)).isZero();
    }

    @Test
    void setThatWasJustGrantedIsNotAtRest() {
        RecordedAttempt attempt = script.asks(script.one, "a", "a");
        attempt.inSet(set, 0, 2);
        attempt.unknown();
        script.at(900);
        attempt.granted(1, Script.nanos(1_000));
        script.at(1_000).harness.heldAtRest("a", attempt.owner(), 1);
        assertThat(script.check().count(Invariant.H10_MULTI_LOCK)).isZero();
    }
}
