package dev.interlock.cli.demo;

import java.time.Duration;

/**
 * How fast the tour is given.
 *
 * @param reading how long a line is left to be read
 * @param work how long a service works while it holds a lock
 * @param lease how long the lease lasts that will be lost
 */
public record Pace(Duration reading, Duration work, Duration lease) {
    /** For people. */
    public static final Pace READABLE =
            new Pace(Duration.ofMillis(700), Duration.ofMillis(900), Duration.ofMillis(2500));

    /** For tests. */
    public static final Pace FAST = new Pace(Duration.ZERO, Duration.ofMillis(20), Duration.ofMillis(300));
}
