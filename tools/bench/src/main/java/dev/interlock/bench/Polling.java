package dev.interlock.bench;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for locks that cannot wait by themselves. */
public final class Polling {
    private static final long PAUSE_NANOS = 1_000_000;
    private static final Duration AT_MOST = Duration.ofSeconds(30);

    private Polling() {}

    /**
     * Tries again every millisecond until it works.
     *
     * @throws IllegalStateException if it does not for half a minute
     */
    public static void until(BooleanSupplier attempt) {
        if (attempt.getAsBoolean()) {
            return;
        }
        long deadline = System.nanoTime() + AT_MOST.toNanos();
        do {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("The lock was busy for " + AT_MOST);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        } while (!attempt.getAsBoolean());
    }
}
