package dev.interlock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The correct model gives no alarm under any fault: a checker with false alarms is useless. */
@Tag("full")
class CleanHistoryTest {
    private static final System.Logger LOG = System.getLogger("history");
    private static final int EVENTS = 1_000_000;

    @Test
    void manyCleanHistoriesGiveNoAlarm() {
        long events = 0;
        long grants = 0;
        long controlStale = 0;
        long controlLost = 0;
        long refused = 0;
        long expectedBreaks = 0;
        long seed = 0;
        while (events < EVENTS) {
            History history = ModelRun.clean(++seed, Duration.ofSeconds(12));
            Verdict verdict = new HistoryChecker(ModelRun.EXPECTED).check(history);
            assertThat(verdict.outcome()).as("seed %d%n%s", seed, verdict).isEqualTo(Verdict.Outcome.CLEAN);
            events += history.size();
            grants += verdict.figure(Figure.GRANTS);
            controlStale += verdict.figure(Figure.CONTROL_STALE_ACCEPTED);
            controlLost += verdict.figure(Figure.CONTROL_LOST_UPDATES);
            refused += verdict.figure(Figure.STALE_REFUSED);
            expectedBreaks += verdict.figure(Figure.EXPECTED_BREAKS);
        }
        LOG.log(
                System.Logger.Level.INFO,
                "{0} clean histories with {1} events, {2} grants: 0 alarms,"
                        + " {3} allowed exclusivity breaks, {4} stale effects refused;"
                        + " the unfenced control accepted {5} stale effects and lost {6} updates",
                seed,
                events,
                grants,
                expectedBreaks,
                refused,
                controlStale,
                controlLost);
        // Harmless faults prove nothing: without a fence the same runs must do harm.
        assertThat(controlStale).isPositive();
        assertThat(controlLost).isPositive();
        assertThat(refused).isPositive();
        assertThat(expectedBreaks).isPositive();
    }

    @Test
    void oneLongCleanHistoryWithEveryFaultGivesNoAlarm() {
        History history = ModelRun.clean(8803, Duration.ofMinutes(20));
        assertThat(history.size()).isGreaterThan(EVENTS);
        Verdict verdict = new HistoryChecker(ModelRun.EXPECTED.injecting(ModelRun.FAULTS)).check(history);
        verdict.assertClean();
        LOG.log(System.Logger.Level.INFO, "One clean history\n" + verdict.page());
    }
}
