package dev.interlock.lock;

import java.time.Duration;
import java.util.Objects;

/**
 * How waits that last are watched, so that scopes of different processes that wait for each other do not do so until their patience is over.
 *
 * <p>A wait that has lasted for {@link #after()} is described in the store, with what its scope holds. Each process searches these
 * descriptions for cycles while it has such waits, and one wait of each cycle ends with {@link DeadlockException}. A lock that is had sooner
 * costs nothing. On stores that keep no such descriptions, only cycles within one process are found.
 *
 * <p>Immutable.
 */
public final class DeadlockDetection {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final DeadlockDetection STANDARD = new DeadlockDetection(Duration.ofSeconds(1), true, true, false);

    private final Duration after;
    private final boolean on;
    private final boolean searching;
    private final boolean monitoring;

    private DeadlockDetection(Duration after, boolean on, boolean searching, boolean monitoring) {
        this.after = after;
        this.on = on;
        this.searching = searching;
        this.monitoring = monitoring;
    }

    /** Waits that have lasted a second are described, and each process searches for its own. */
    public static DeadlockDetection standard() {
        return STANDARD;
    }

    /** Nothing is described or searched: a cycle lasts until the shortest patience in it is over. */
    public static DeadlockDetection off() {
        return new DeadlockDetection(STANDARD.after, false, true, false);
    }

    /** Watches waits that have lasted this long, instead of a second. */
    public DeadlockDetection after(Duration wait) {
        Objects.requireNonNull(wait, "wait is null: say after what time a wait is watched");
        if (wait.compareTo(SHORTEST) < 0 || wait.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("Deadlocks are looked for after " + wait + ": choose a duration between "
                    + SHORTEST + " and " + LONGEST);
        }
        return new DeadlockDetection(wait, true, searching, monitoring);
    }

    /**
     * Takes part in the election of one process per namespace that searches on behalf of all, every 400 ms, as long as it leads. It finds
     * what processes that are {@link #notSearching()} do not look for. Those that stand by say every two seconds that they wait.
     */
    public DeadlockDetection withMonitor() {
        return new DeadlockDetection(after, true, searching, true);
    }

    /**
     * Describes its waits, but leaves the search to the monitor, which ends a wait of this process too. Other processes see these waits but end
     * only their own: without a monitor, a cycle whose last wait is here lasts until somebody's patience is over, and so do others that are
     * tangled up with it.
     */
    public DeadlockDetection notSearching() {
        return new DeadlockDetection(after, true, false, monitoring);
    }

    /** Whether waits are watched at all. */
    public boolean isOn() {
        return on;
    }

    /** After what time a wait is watched. */
    public Duration after() {
        return after;
    }

    /** Whether this process searches. */
    public boolean isSearching() {
        return on && searching;
    }

    /** Whether this process takes part in the election of the monitor. */
    public boolean isMonitoring() {
        return on && monitoring;
    }

    @Override
    public String toString() {
        return on
                ? "DeadlockDetection[after " + after + (searching ? ", searching" : "")
                        + (monitoring ? ", with monitor" : "") + "]"
                : "DeadlockDetection[off]";
    }
}
