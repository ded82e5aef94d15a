package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    @Test
    void fewerRoundsHaveFewerWarmUps() {
        assertThat(Schedule.QUICK.withRounds(1).warmUps()).isEqualTo(1);
        assertThat(Schedule.QUICK.withRounds(100).warmUps()).isEqualTo(Schedule.QUICK.warmUps());
    }

    @Test
    void invalidScheduleIsRejectedWithTheAllowedRange() {
        assertThat(Schedule.QUICK.withRounds(1000).rounds()).isEqualTo(1000);
        assertThatThrownBy(() -> Schedule.QUICK.withRounds(1001)).hasMessageContaining("choose 1 to 1000");
        assertThatThrownBy(() -> Schedule.QUICK.withRounds(0)).hasMessageContaining("choose 1 to 1000");
        assertThatThrownBy(() -> Schedule.QUICK.withTurn(Duration.ZERO)).hasMessageContaining("choose PT0.001S");
        assertThatThrownBy(() -> Schedule.QUICK.withTurn(Duration.ofHours(1))).hasMessageContaining("PT10M");
    }
}
