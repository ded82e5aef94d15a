package dev.interlock.testkit.checked;

import java.time.Duration;

/**
 * The load of a {@link SoakTck}.
 *
 * @param workers how many worker processes run at a time
 * @param threads how many threads each of them has
 * @param keys how many keys of the fenced resource are used, and as many of its unfenced twin
 * @param pause how long a critical section pauses between its read and its write
 * @param warmUp how many grants each worker has before each fault, since a fault proves nothing on an idle worker
 * @param grantsPerSecond the rate below which a round is void
 * @param rounds how many rounds there are, each with processes, keys and a verdict of its own
 * @param faults how many faults a round has at least
 * @param grants how many grants a round has at least
 * @param shortestPause the shortest pause of a worker that outlasts its lease, in leases
 * @param longestPause the longest such pause, in leases
 * @since 0.1.0
 */
public record SoakLoad(
        int workers,
        int threads,
        int keys,
        Duration pause,
        int warmUp,
        int grantsPerSecond,
        int rounds,
        int faults,
        long grants,
        double shortestPause,
        double longestPause) {
    /** A load for stores with some hundred grants per second: one round, or ten in a soak. */
    public static SoakLoad standard() {
        boolean soak = Boolean.getBoolean("interlock.soak");
        return new SoakLoad(2, 4, 2, Duration.ofMillis(5), 8, 1, soak ? 10 : 1, soak ? 24 : 4, 0, 1.4, 1.7);
    }

    /**
     * A load for stores with thousands of grants per second: 100,000 grants in two rounds, or a million in twenty in a
     * soak.
     */
    public static SoakLoad heavy() {
        int rounds = Boolean.getBoolean("interlock.soak") ? 20 : 2;
        return new SoakLoad(4, 10, 6, Duration.ZERO, 500, 50, rounds, 4, 50_000, 1.2, 1.5);
    }
}
