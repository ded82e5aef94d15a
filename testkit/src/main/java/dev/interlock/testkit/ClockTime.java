package dev.interlock.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The time of a {@link FakeClock}. Real threads get a moment to react after each step. */
final class ClockTime implements TckTime {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration STEP = Duration.ofMillis(5);
    private static final Duration POLL = Duration.ofMillis(1);

    private final FakeClock clock;

    ClockTime(FakeClock clock) {
        this.clock = clock;
    }

    @Override
    public Optional<FakeClock> clock() {
        return Optional.of(clock);
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    @Override
    public void pass(Duration length) {
        clock.advance(length);
    }

    @Override
    public void until(String fact, BooleanSupplier condition) {
        BoundedPoll.until(fact, condition, () -> {
            clock.advance(STEP);
            LockSupport.parkNanos(this, POLL.toNanos());
        });
    }
}
