package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClockCheckTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 500);

    /** A clock that advances by this much at every read. */
    private long advance(long step) {
        return nanos.getAndAdd(step);
    }

    @Test
    void sameClockIsBoundedByTheShortestRoundTrip() {
        AtomicLong round = new AtomicLong();
        assertThat(ClockCheck.bound("it", () -> advance(round.incrementAndGet() == 7 ? 5 : 50), () -> advance(20)))
                .isEqualTo(25);
    }

    @Test
    void clockThatIsAheadIsRefused() {
        assertThatThrownBy(() -> ClockCheck.bound("worker 1", () -> advance(10) + 1_000, () -> advance(10)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("The clock of worker 1 cannot be compared with ours");
    }

    @Test
    void clockThatIsBehindIsRefused() {
        assertThatThrownBy(() -> ClockCheck.bound("worker 1", () -> advance(10) - 1_000, () -> advance(10)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void roundTripThatIsTooLongIsRefused() {
        assertThatThrownBy(() -> ClockCheck.bound("worker 1", () -> advance(10), () -> advance(25_000_000)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("at most PT0.02S makes sense");
    }
}
