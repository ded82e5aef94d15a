package dev.interlock.jdbc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Time as the tables store it: whole microseconds. */
final class Micros {
    private Micros() {}

    /** Rounds up, so that a lease is never shorter in the database than its holder believes. */
    static long of(Duration duration) {
        long whole = Math.multiplyExact(duration.getSeconds(), 1_000_000L) + duration.getNano() / 1_000;
        return duration.getNano() % 1_000 == 0 ? whole : whole + 1;
    }

    static Duration duration(long micros) {
        return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros));
    }
}
