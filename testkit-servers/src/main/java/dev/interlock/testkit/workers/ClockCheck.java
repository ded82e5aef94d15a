package dev.interlock.testkit.workers;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Shows that {@code System.nanoTime()} of two processes is the same clock, by repeated requests.
 *
 * <p>If it is, every answer lies between the request and the arrival of the answer. The shortest round trip bounds the
 * undetected difference between the clocks; the history checker uses that bound.
 */
final class ClockCheck {
    private static final int ROUNDS = 20;

    /** A larger bound makes a history useless: the clocks differ, or the machine is overloaded. */
    private static final Duration WIDEST = Duration.ofMillis(20);

    private ClockCheck() {}

    /**
     * Returns the bound in nanoseconds.
     *
     * @param other asks the other process for its clock
     * @throws IllegalStateException if the clocks cannot be compared
     */
    static long bound(String name, LongSupplier other, LongSupplier own) {
        long bound = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS; i++) {
            long asked = own.getAsLong();
            long theirs = other.getAsLong();
            long answered = own.getAsLong();
            if (theirs - asked < 0 || answered - theirs < 0) {
                throw new IllegalStateException(
                        "The clock of " + name + " cannot be compared with ours: asked at " + asked
                                + ", answered " + theirs + ", and the answer arrived at " + answered
                                + ". Its history would mean nothing.");
            }
            bound = Math.min(bound, answered - asked);
        }
        if (bound > WIDEST.toNanos()) {
            throw new IllegalStateException("The shortest round trip to " + name + " took " + Duration.ofNanos(bound)
                    + ", so clocks can only be compared to within that; at most " + WIDEST + " makes sense.");
        }
        return bound;
    }
}
