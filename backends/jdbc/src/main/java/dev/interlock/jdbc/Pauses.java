package dev.interlock.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * When a waiter asks again where a database cannot tell it: soon if the holder has just begun, ever later the longer it holds, and later
 * the more are ahead. So a hand-over is noticed within about half of the time that the lock was held, and a waiter makes
 * some twenty queries in its first second and five in each later one, however short or long the locks are held.
 */
final class Pauses {
    private static final long SHORTEST_MICROS = TimeUnit.MILLISECONDS.toMicros(5);
    private static final long LONGEST_MICROS = TimeUnit.MILLISECONDS.toMicros(200);

    private Pauses() {}

    /** When asking again about a lock may help: when a lease ends, and earlier where nobody tells of a release. */
    static Duration recheck(LockRow row, long ahead, long now, boolean isTold) {
        Duration end = row.firstEnd(now);
        Duration pause = isTold ? end : next(now - row.newest(), ahead);
        return pause.compareTo(end) < 0 ? pause : end;
    }

    /** With jitter, so that those who began together do not go on together. */
    private static Duration next(long heldForMicros, long ahead) {
        long pause = Math.max(SHORTEST_MICROS, Math.min(LONGEST_MICROS, heldForMicros / 2));
        long behind = Math.min(1_000, Math.max(0, ahead)) + 1;
        return Micros.duration((long) (Math.min(LONGEST_MICROS, pause * behind)
                * (0.75 + ThreadLocalRandom.current().nextDouble() / 2)));
    }
}
