package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LabelColumnTest {
    @Test
    void labelsWithRoomStayAtTheWantedPlace() {
        assertThat(LabelColumn.place(new double[] {10, 40, 90}, 15, 100)).containsExactly(10, 40, 90);
    }

    @Test
    void labelsAtTheSamePlaceSpreadAroundIt() {
        assertThat(LabelColumn.place(new double[] {50, 50, 50}, 10, 100)).containsExactly(40, 50, 60);
    }

    @Test
    void pushedLabelPushesTheNext() {
        assertThat(LabelColumn.place(new double[] {50, 50, 57}, 10, 100))
                .containsExactly(42.333333333333336, 52.333333333333336, 62.333333333333336);
    }

    @Test
    void noLabelLeavesTheColumn() {
        assertThat(LabelColumn.place(new double[] {0, 0, 100, 100}, 10, 100)).containsExactly(0, 10, 90, 100);
    }
}
