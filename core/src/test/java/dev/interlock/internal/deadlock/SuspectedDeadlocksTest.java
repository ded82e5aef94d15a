package dev.interlock.internal.deadlock;

import static dev.interlock.internal.deadlock.Waits.deadlocks;
import static dev.interlock.internal.deadlock.Waits.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.WaitForGraph.Wait;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a cycle counts as confirmed. */
class SuspectedDeadlocksTest {
    private final SuspectedDeadlocks suspicions = new SuspectedDeadlocks();
    private final Wait first = waiting(1, "b", "a");
    private final Wait second = waiting(2, "a", "b");

    private boolean isConfirmed(Wait one, long version, Wait other, long otherVersion) {
        return !suspicions
                .confirmed(
                        deadlocks(List.of(one, other)),
                        List.of(new ReportedWait(one, version), new ReportedWait(other, otherVersion)))
                .isEmpty();
    }

    @Test
    void oneReadingConfirmsNothing() {
        assertThat(isConfirmed(first, 1, second, 1)).isFalse();
        assertThat(suspicions.isAny()).isTrue();
    }

    /**
     * The first report since then may have been made before the reading. Only the second was made after it for sure.
     */
    @Test
    void everyWaitMustBeReportedTwiceSinceTheFirstReading() {
        isConfirmed(first, 5, second, 1);
        assertThat(isConfirmed(first, 6, second, 9)).isFalse();
        assertThat(isConfirmed(first, 7, second, 9)).isTrue();
    }

    @Test
    void cycleWithAWaitThatIsNotReportedAgainIsNotConfirmed() {
        isConfirmed(first, 1, second, 1);
        for (int version = 2; version < 50; version++) {
            assertThat(isConfirmed(first, 1, second, version)).isFalse();
        }
    }

    @Test
    void sameKeysWithAnotherGrantAreAnotherCycle() {
        isConfirmed(first, 1, second, 1);
        Wait regained = new Wait(
                first.id(),
                first.process(),
                first.scopeId(),
                first.scope(),
                first.wanted(),
                first.mode(),
                first.since(),
                List.of(new dev.interlock.lock.WaitForGraph.Held(
                        first.held().get(0).key(), first.mode(), dev.interlock.lock.FencingToken.of(99, 0))),
                List.of());
        assertThat(isConfirmed(regained, 3, second, 3)).isFalse();
        assertThat(isConfirmed(regained, 5, second, 5)).isTrue();
    }

    @Test
    void cycleThatDisappearedInBetweenMustBeConfirmedAgain() {
        isConfirmed(first, 1, second, 1);
        suspicions.confirmed(List.of(), List.of(new ReportedWait(first, 2)));
        assertThat(suspicions.isAny()).isFalse();
        assertThat(isConfirmed(first, 9, second, 9)).isFalse();
    }
}
