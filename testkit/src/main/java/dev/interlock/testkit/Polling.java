package dev.interlock.testkit;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Asking again and again, in real time and with an end. */
final class Polling {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Polling() {}

    static void until(String fact, BooleanSupplier condition, Runnable pause) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new AssertionError("After " + PATIENCE + " it is still not so that " + fact);
            }
            pause.run();
        }
    }
}
