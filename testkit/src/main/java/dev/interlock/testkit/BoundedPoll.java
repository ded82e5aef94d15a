package dev.interlock.testkit;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Polls a condition in real time, with a limit. */
final class BoundedPoll {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private BoundedPoll() {}

    static void until(String fact, BooleanSupplier condition, Runnable pause) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new AssertionError("Condition not met within " + PATIENCE + ": " + fact);
            }
            pause.run();
        }
    }
}
