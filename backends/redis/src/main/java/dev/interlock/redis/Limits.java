package dev.interlock.redis;

import java.time.Duration;
import java.util.Objects;

/** Refuses durations that cannot be meant. */
final class Limits {
    private Limits() {}

    static void check(String what, Duration value, Duration least, Duration most) {
        Objects.requireNonNull(value, () -> what + " is null: give a Duration");
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    what + " is " + value + ": choose a duration between " + least + " and " + most);
        }
    }
}
