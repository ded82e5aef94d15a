package dev.interlock.bench;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Watches the JIT compiler, by the time it has spent. While contenders use all processors the compiler gets little
 * time, and may still be compiling code of half a minute ago when the measurement starts. On an idle computer it
 * finishes within a second.
 */
final class JitActivity {
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The longest idle time, as a multiple of the length of the last turn. */
    private static final int MAX_TURNS = 4;

    /** Compilation counts as finished if it took no more than this between two checks. */
    private static final long QUIET_MILLIS = 5;

    private JitActivity() {}

    /** The time spent compiling so far. */
    static long spentMillis() {
        return ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
    }

    /**
     * Waits, after a turn of this length, until compilation has finished. Waits at most four times as long as the turn.
     */
    static void awaitQuiet(Duration turn, LongSupplier spentMillis) {
        long before = spentMillis.getAsLong();
        long checks = MAX_TURNS * turn.toNanos() / CHECK_NANOS;
        for (long check = 0; check < checks; check++) {
            LockSupport.parkNanos(CHECK_NANOS);
            long now = spentMillis.getAsLong();
            if (now - before <= QUIET_MILLIS) {
                return;
            }
            before = now;
        }
    }
}
