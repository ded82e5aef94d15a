package dev.interlock.bench;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The compiler of this process, which can be seen at work only by the time that it has spent. While contenders keep all processors busy it
 * has little of them, and is still at work on what it saw half a minute ago when the measuring begins; left alone it is done in a second.
 */
final class Compilation {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** It is left alone for so many times as long as it was kept from its work, at most, */
    private static final int TIMES = 4;

    /** and it is done if it has worked for no more than this between two of them. */
    private static final long QUIET_MILLIS = 5;

    private Compilation() {}

    /** How long it has worked by now. */
    static long spentMillis() {
        return ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
    }

    /** Leaves it alone until it is done, after a turn of this length; for four times as long at most. */
    static void awaitQuiet(Duration turn, LongSupplier spentMillis) {
        long before = spentMillis.getAsLong();
        long looks = TIMES * turn.toNanos() / LOOK_NANOS;
        for (long look = 0; look < looks; look++) {
            LockSupport.parkNanos(LOOK_NANOS);
            long now = spentMillis.getAsLong();
            if (now - before <= QUIET_MILLIS) {
                return;
            }
            before = now;
        }
    }
}
