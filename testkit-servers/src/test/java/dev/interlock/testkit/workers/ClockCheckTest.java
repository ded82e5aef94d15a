package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClockCheckTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 500);

    /** A clock that goes on by this much whenever somebody looks at it. */
    private long look(long step) {
        return nanos.getAndAdd(step);
    }

    @Test
    void sameClockIsBoundedByTheShortestRoundTrip() {
        AtomicLong round = new AtomicLong();
        assertThat(ClockCheck.bound("it", () -> look(round.incrementAndGet() == 7 ? 5 : 50), () -> look(20)))
                .isEqualTo(25);
    }

    @Test
    void clockThatIsAheadIsRefused() {
        assertThatThrownBy(() -> ClockCheck.bound("worker 1", () -> look(10) + 1_000, () -> look(10)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("The clock of worker 1 cannot be compared with ours");
    }

    @Test
    void clockThatIsBehindIsRefused() {
        assertThatThrownBy(() -> ClockCheck.bound("worker 1", () -> look(10) - 1_000, () -> look(10)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void roundTripThatIsTooLongIsRefused() {
        assertThatThrownBy(() -> ClockCheck.bound("worker 1", () -> look(10), () -> look(25_000_000)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("at most PT0.02S makes sense");
    }
}
