package dev.interlock.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * When a waiter polls again on a database without notifications. The interval grows with the time that the lock has
 * been held and with the number of waiters ahead. A waiter notices a hand-over within about half of the time that the
 * lock was held, and sends some twenty queries in its first second and five in each later one.
 */
final class PollInterval {
    private static final long MIN_MICROS = TimeUnit.MILLISECONDS.toMicros(5);
    private static final long MAX_MICROS = TimeUnit.MILLISECONDS.toMicros(200);

    private PollInterval() {}

    /** Until a lease ends, or the next poll if waiters are not notified of releases. */
    static Duration recheck(LockRow row, long ahead, long now, boolean isNotified) {
        Duration end = row.firstEnd(now);
        Duration pause = isNotified ? end : next(now - row.newestGrant(), ahead);
        return pause.compareTo(end) < 0 ? pause : end;
    }

    /** With jitter, so that waiters that started together spread out. */
    private static Duration next(long heldForMicros, long ahead) {
        long pause = Math.max(MIN_MICROS, Math.min(MAX_MICROS, heldForMicros / 2));
        long behind = Math.min(1_000, Math.max(0, ahead)) + 1;
        return Micros.duration((long) (Math.min(MAX_MICROS, pause * behind)
                * (0.75 + ThreadLocalRandom.current().nextDouble() / 2)));
    }
}
