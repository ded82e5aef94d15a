package dev.interlock.redis;

import java.time.Duration;
import java.util.Objects;

/** Rejects durations outside a sensible range. */
final class DurationLimits {
    private DurationLimits() {}

    static void check(String what, Duration value, Duration min, Duration max) {
        Objects.requireNonNull(value, () -> what + " is null: give a Duration");
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(
                    what + " is " + value + ": choose a duration between " + min + " and " + max);
        }
    }
}
