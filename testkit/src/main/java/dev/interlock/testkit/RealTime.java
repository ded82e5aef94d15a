package dev.interlock.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The system's clock. */
final class RealTime implements TckTime {
    private static final Duration LEASE = Duration.ofMillis(300);
    private static final Duration POLL = Duration.ofMillis(2);

    @Override
    public Optional<FakeClock> clock() {
        return Optional.empty();
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    @Override
    public void pass(Duration length) {
        long end = System.nanoTime() + length.toNanos();
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }

    @Override
    public void until(String fact, BooleanSupplier condition) {
        BoundedPoll.until(fact, condition, () -> LockSupport.parkNanos(this, POLL.toNanos()));
    }
}
