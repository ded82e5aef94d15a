package dev.interlock.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * How time passes while the cases run: real time, or a {@link FakeClock} that the backend also uses.
 *
 * <p>A fixture that can expire the records of a store may implement this interface. Cases end leases only through
 * {@link #pass}.
 *
 * @since 0.1.0
 */
public interface TckTime {
    /** Real time with short leases. */
    static TckTime real() {
        return new RealTime();
    }

    /** The time of this clock. The backend must use {@link FakeClock#worldNanos()} as its clock. */
    static TckTime of(FakeClock clock) {
        return new ClockTime(clock);
    }

    /** The clock that processes must use, or empty for the system clock. */
    Optional<FakeClock> clock();

    /**
     * A lease that is short enough to wait for its end, and long enough not to end during a short delay of the machine.
     */
    Duration lease();

    /** Waits until at least this much time has passed for the store and for every process. */
    void pass(Duration length);

    /**
     * Waits until the condition holds.
     *
     * @param fact describes the condition in the failure message
     */
    void until(String fact, BooleanSupplier condition);
}
