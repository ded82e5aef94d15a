package dev.interlock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** H3 and H4: what the log of the resource may show, in its own order. */
class ResourceHistoryTest {
    private final Script script = new Script();
    private final RecordedAttempt older = script.holds(script.one, "a", "k", 7);
    private final RecordedAttempt newer = script.at(150).holds(script.two, "b", "k", 8);

    private void raise(RecordedAttempt by, boolean accepted) {
        script.resource.raised("k", by.id(), by.owner(), by.token(), 0, accepted);
    }

    private void read(RecordedAttempt by, long value) {
        script.resource.read("k", by.id(), by.owner(), by.token(), value, 0);
    }

    private void write(RecordedAttempt by, long base, long value, boolean accepted) {
        script.resource.wrote("k", by.id(), by.owner(), by.token(), base, value, 0, accepted);
    }

    private Verdict check(long finalValue) {
        script.at(300).harness.finalValue("k", finalValue);
        return script.check();
    }

    @Test
    void staleWriteIsRefused() {
        raise(older, true);
        raise(newer, true);
        write(older, 0, 1, false);
        write(newer, 0, 2, true);
        Verdict verdict = check(2);
        verdict.assertClean();
        assertThat(verdict.figure(Figure.STALE_REFUSED)).isEqualTo(1);
        assertThat(verdict.figure(Figure.STALE_ACCEPTED)).isZero();
    }

    @Test
    void staleWriteThatIsAcceptedIsAViolation() {
        raise(older, true);
        raise(newer, true);
        write(older, 0, 1, true);
        Verdict verdict = check(1);
        assertThat(verdict.count(Invariant.H3_NO_STALE_EFFECT)).isEqualTo(1);
        assertThat(verdict.count(Invariant.H4_NO_LOST_UPDATE)).isZero();
    }

    @Test
    void orderOfTheLogCountsNotItsTimes() {
        script.at(500);
        raise(older, true);
        script.at(400);
        raise(newer, true);
        script.at(200);
        write(newer, 0, 1, true);
        script.at(600);
        check(1).assertClean();
    }

    @Test
    void equalTokensBelongToOneOwner() {
        RecordedAttempt twin = script.holds(script.one, "c", "k", 8);
        write(newer, 0, 1, true);
        write(newer, 1, 2, true);
        write(twin, 2, 3, true);
        assertThat(check(3).count(Invariant.H3_NO_STALE_EFFECT)).isEqualTo(1);
    }

    @Test
    void writeFromAnOldValueIsALostUpdate() {
        read(older, 0);
        read(newer, 0);
        write(older, 0, 1, true);
        write(newer, 0, 2, true);
        Verdict verdict = check(2);
        assertThat(verdict.count(Invariant.H4_NO_LOST_UPDATE)).isEqualTo(1);
        assertThat(verdict.figure(Figure.LOST_UPDATES)).isEqualTo(1);
        assertThat(verdict.violations().get(0).events()).hasSize(3);
    }

    @Test
    void finalValueIsTheValueOfTheLastWrite() {
        write(newer, 0, 2, true);
        assertThat(check(1).count(Invariant.H4_NO_LOST_UPDATE)).isEqualTo(1);
    }

    @Test
    void acknowledgedWriteIsInTheLog() {
        newer.write(0, 2);
        newer.writeAccepted(0, 2);
        write(newer, 0, 2, true);
        check(2).assertClean();
    }

    @Test
    void acknowledgedWriteMissingFromTheLogIsLost() {
        write(newer, 0, 2, true);
        newer.write(2, 3);
        newer.writeAccepted(2, 3);
        assertThat(check(2).count(Invariant.H4_NO_LOST_UPDATE)).isEqualTo(1);
    }

    @Test
    void unknownWriteMayBeMissing() {
        write(newer, 0, 2, true);
        newer.write(2, 3);
        newer.writeUnknown(2, 3);
        check(2).assertClean();
    }

    @Test
    void breaksOfTheUnfencedControlAreOnlyCounted() {
        Script control = new Script(EventLog.Role.UNFENCED_RESOURCE);
        RecordedAttempt first = control.holds(control.one, "a", "k", 7);
        RecordedAttempt second = control.at(150).holds(control.two, "b", "k", 8);
        control.resource.wrote("k", second.id(), second.owner(), 8, 0, 1, 0, true);
        control.resource.wrote("k", first.id(), first.owner(), 7, 0, 2, 0, true);
        control.at(300).harness.finalValue("k", 2);
        Verdict verdict = control.check();
        verdict.assertClean();
        assertThat(verdict.figure(Figure.CONTROL_STALE_ACCEPTED)).isEqualTo(1);
        assertThat(verdict.figure(Figure.CONTROL_LOST_UPDATES)).isEqualTo(1);
        assertThat(verdict.figure(Figure.STALE_ACCEPTED)).isEqualTo(-1);
    }

    @Test
    void fenceOutlivesARestartOfTheResource() {
        raise(newer, true);
        ResourceRecorder restarted = script.at(200).restartedResource();
        restarted.raised("k", older.id(), older.owner(), older.token(), 0, true);
        assertThat(script.check().count(Invariant.H3_NO_STALE_EFFECT)).isEqualTo(1);
    }

    @Test
    void valueOutlivesARestartOfTheResource() {
        write(newer, 0, 1, true);
        ResourceRecorder restarted = script.at(200).restartedResource();
        restarted.read("k", newer.id(), newer.owner(), newer.token(), 0, 0);
        restarted.wrote("k", newer.id(), newer.owner(), newer.token(), 0, 1, 0, true);
        assertThat(check(1).count(Invariant.H4_NO_LOST_UPDATE)).isEqualTo(1);
    }

    @Test
    void finalValueIsTheValueOfTheRestartedResource() {
        write(newer, 0, 1, true);
        ResourceRecorder restarted = script.at(200).restartedResource();
        restarted.wrote("k", newer.id(), newer.owner(), newer.token(), 1, 2, 0, true);
        check(2).assertClean();
    }

    @Test
    void writeAfterTheFinalReadIsNoLostUpdate() {
        write(newer, 0, 1, true);
        script.at(300).harness.finalValue("k", 1);
        script.at(310);
        write(newer, 1, 2, true);
        Verdict verdict = script.check();
        assertThat(verdict.count(Invariant.H4_NO_LOST_UPDATE)).isZero();
        assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.VOID);
    }

    @Test
    void writeAndFinalReadWithinTheClockBoundAreUndecidable() {
        script.at(299);
        write(newer, 0, 1, true);
        script.at(300).harness.finalValue("k", 0);
        Verdict verdict = script.check(Script.LENIENT.clocksWithin(Duration.ofMillis(1)));
        assertThat(verdict.count(Invariant.H4_NO_LOST_UPDATE)).isZero();
        assertThat(verdict.figure(Figure.UNDECIDABLE)).isEqualTo(1);
    }
}
