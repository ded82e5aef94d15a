package dev.interlock.bench;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for locks of contenders that cannot wait. */
public final class BenchPolling {
    private static final long PAUSE_NANOS = 1_000_000;
    private static final Duration MAX_WAIT = Duration.ofSeconds(30);

    private BenchPolling() {}

    /**
     * Repeats the attempt every millisecond until it succeeds.
     *
     * @throws IllegalStateException if it does not succeed within 30 seconds
     */
    public static void until(BooleanSupplier attempt) {
        if (attempt.getAsBoolean()) {
            return;
        }
        long deadline = System.nanoTime() + MAX_WAIT.toNanos();
        do {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("The lock was busy for " + MAX_WAIT);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        } while (!attempt.getAsBoolean());
    }
}
