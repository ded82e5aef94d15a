package dev.interlock.internal.lock;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Stops callers from hammering a store that does not answer, and lets one through now and then to find out.
 *
 * <p>Closed until {@value #FAILURES} calls in a row went unanswered; then open, doubling from 0.5 s to 5 s; then half open for
 * one call whose outcome decides. Any answer closes it. Renewals, releases and withdrawals pass always: they are needed most
 * when a store comes back, and they close it when it has.
 *
 * <p>Pure: time comes in with each call. Thread-safe.
 */
final class CircuitBreaker {
    /** So many calls in a row must go unanswered. */
    static final int FAILURES = 5;

    private static final long OPEN_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long OPEN_LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);

    private sealed interface State {}

    private record Closed(int failures) implements State {}

    private record Open(long untilNanos, long lengthNanos) implements State {}

    private record HalfOpen(long giveUpNanos, long lengthNanos) implements State {}

    private static final Closed ALL_WELL = new Closed(0);

    private final AtomicReference<State> state = new AtomicReference<>(ALL_WELL);

    /** Whether a call may be made now; when half open, only one is let through at a time. */
    boolean admits(long nowNanos) {
        State now = state.get();
        if (now instanceof Closed) {
            return true;
        }
        if (now instanceof Open open && nowNanos - open.untilNanos() >= 0) {
            return state.compareAndSet(now, new HalfOpen(nowNanos + open.lengthNanos(), open.lengthNanos()));
        }
        // The one that was let through may have vanished without an outcome; then another may try.
        return now instanceof HalfOpen half
                && nowNanos - half.giveUpNanos() >= 0
                && state.compareAndSet(now, new HalfOpen(nowNanos + half.lengthNanos(), half.lengthNanos()));
    }

    /** The store answered, whatever it said. */
    void answered() {
        if (state.get() != ALL_WELL) {
            state.set(ALL_WELL);
        }
    }

    /** The store did not answer. */
    void unanswered(long nowNanos) {
        state.updateAndGet(now -> {
            if (now instanceof Closed closed) {
                return closed.failures() + 1 < FAILURES
                        ? new Closed(closed.failures() + 1)
                        : new Open(nowNanos + OPEN_FIRST_NANOS, OPEN_FIRST_NANOS);
            }
            if (now instanceof HalfOpen half) {
                long length = Math.min(OPEN_LONGEST_NANOS, half.lengthNanos() * 2);
                return new Open(nowNanos + length, length);
            }
            return now;
        });
    }

    /** Whether calls are refused now; for messages. */
    boolean isOpen() {
        return !(state.get() instanceof Closed);
    }
}
