package dev.interlock.internal.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LearnedOrder.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObservedNestingTest {
    private final ObservedNesting nestings = new ObservedNesting(3);

    private static Step step(String held, String wanted) {
        return new Step(held, wanted, "work", List.of());
    }

    @Test
    void fullTableOnlyChecksForDirectContradictions() {
        nestings.add(step("a", "b"));
        nestings.add(step("b", "c"));
        assertThat(nestings.ignores("x", "y")).as("not full yet").isFalse();
        nestings.add(step("c", "d"));

        assertThat(nestings.ignores("x", "y")).isTrue();
        assertThat(nestings.ignores("d", "a")).as("through three pairs").isTrue();
        assertThat(nestings.ignores("d", "c")).isFalse();
        assertThat(nestings.add(step("d", "c"))).isNotNull();
        assertThat(nestings.add(step("d", "c"))).as("reported once").isNull();
        assertThat(nestings.add(step("x", "y"))).isNull();
        assertThat(nestings.knows("x", "y")).isFalse();
    }

    @Test
    void cycleOverSeveralPairsIsFoundUntilTheTableIsFull() {
        nestings.add(step("a", "b"));
        nestings.add(step("b", "c"));
        assertThat(nestings.add(step("c", "a"))).isNotNull();
    }
}
