package dev.interlock.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * How time passes while the cases run: really, or on a {@link FakeClock} that the backend counts by as well.
 *
 * <p>A fixture that can make a store's records expire by itself may implement this; {@link #pass} is the only way in which
 * a case lets a lease end.
 */
public interface TckTime {
    /** Real time with short leases. */
    static TckTime real() {
        return new RealTime();
    }

    /** The time of this clock. The backend must count by its {@link FakeClock#worldNanos()}. */
    static TckTime of(FakeClock clock) {
        return new ClockTime(clock);
    }

    /** The clock that processes must use; empty for the system's own. */
    Optional<FakeClock> clock();

    /** A lease that is short enough to be outwaited and long enough not to end by a hiccup. */
    Duration lease();

    /** Lets at least this much time pass, for the store and for every process. */
    void pass(Duration length);

    /**
     * Lets time pass until the condition holds.
     *
     * @param fact what is waited for, for the message if it never becomes true
     */
    void until(String fact, BooleanSupplier condition);
}
