package dev.interlock.internal.runtime;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Stops new calls to a store that does not answer, and admits a trial call from time to time.
 *
 * <p>Closed until {@value #FAILURES} calls in a row were not answered. Then open for 0.5 s, doubling up to 5 s. Then
 * half open for one trial call, whose outcome decides. Any answer closes the circuit. Renewals, releases and
 * withdrawals do not ask the circuit breaker: they are needed most when a store comes back, and their answers close
 * the circuit.
 *
 * <p>Pure: the time is a parameter. Thread-safe.
 */
public final class CircuitBreaker {
    /** Unanswered calls in a row that open the circuit. */
    public static final int FAILURES = 5;

    private static final long FIRST_OPEN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MAX_OPEN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private sealed interface State {}

    private record Closed(int failures) implements State {}

    private record Open(long untilNanos, long lengthNanos) implements State {}

    private record HalfOpen(long giveUpNanos, long lengthNanos) implements State {}

    private static final Closed NO_FAILURES = new Closed(0);

    private final AtomicReference<State> state = new AtomicReference<>(NO_FAILURES);

    /** Whether a call may be made now. A half-open circuit admits one call at a time. */
    boolean admits(long nowNanos) {
        State now = state.get();
        if (now instanceof Closed) {
            return true;
        }
        if (now instanceof Open open && nowNanos - open.untilNanos() >= 0) {
            return state.compareAndSet(now, new HalfOpen(nowNanos + open.lengthNanos(), open.lengthNanos()));
        }
        // The trial call may never have an outcome; then another call may try.
        return now instanceof HalfOpen half
                && nowNanos - half.giveUpNanos() >= 0
                && state.compareAndSet(now, new HalfOpen(nowNanos + half.lengthNanos(), half.lengthNanos()));
    }

    /** The store answered, even if with a refusal. */
    void answered() {
        if (state.get() != NO_FAILURES) {
            state.set(NO_FAILURES);
        }
    }

    /** The store did not answer. */
    void unanswered(long nowNanos) {
        state.updateAndGet(now -> {
            if (now instanceof Closed closed) {
                return closed.failures() + 1 < FAILURES
                        ? new Closed(closed.failures() + 1)
                        : new Open(nowNanos + FIRST_OPEN_NANOS, FIRST_OPEN_NANOS);
            }
            if (now instanceof HalfOpen half) {
                long length = Math.min(MAX_OPEN_NANOS, half.lengthNanos() * 2);
                return new Open(nowNanos + length, length);
            }
            return now;
        });
    }

    /** Whether the circuit is open or half open. */
    boolean isOpen() {
        return !(state.get() instanceof Closed);
    }
}
