package dev.interlock.cli.demo;

import java.time.Duration;

/**
 * The speed of the demo.
 *
 * @param reading pause after each line
 * @param work how long a service works while it holds a lock
 * @param lease length of the lease that the demo lets expire
 */
public record DemoPace(Duration reading, Duration work, Duration lease) {
    /** For readers. */
    public static final DemoPace READABLE =
            new DemoPace(Duration.ofMillis(700), Duration.ofMillis(900), Duration.ofMillis(2500));

    /** For tests. */
    public static final DemoPace FAST = new DemoPace(Duration.ZERO, Duration.ofMillis(20), Duration.ofMillis(300));
}
