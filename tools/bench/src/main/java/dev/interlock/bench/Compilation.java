package dev.interlock.bench;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The compiler of this process, which can be seen at work only by the time that it has spent. While contenders keep all processors busy it
 * has little of them, and is still at work on what it saw half a minute ago when the measuring begins; left alone it is done in a second.
 */
final class Compilation {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** For so many looks it is left alone at most, */
    private static final int MOST_LOOKS = 60;

    /** and it is done if it has worked for no more than this between two of them. */
    private static final long QUIET_MILLIS = 5;

    private Compilation() {}

    /** How long it has worked by now. */
    static long spentMillis() {
        return ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
    }

    /** Leaves it alone until it is done, for three seconds at most. */
    static void awaitQuiet(LongSupplier spentMillis) {
        long before = spentMillis.getAsLong();
        for (int look = 0; look < MOST_LOOKS; look++) {
            LockSupport.parkNanos(LOOK_NANOS);
            long now = spentMillis.getAsLong();
            if (now - before <= QUIET_MILLIS) {
                return;
            }
            before = now;
        }
    }
}
