package dev.interlock.lock;

import java.time.Duration;
import java.util.Objects;

/**
 * Configures the detection of deadlocks across processes.
 *
 * <p>When a wait has lasted for {@link #after()}, its process writes a wait report to the store: what the scope wants
 * and what it holds. While a process has such waits, it reads the reports of all processes and searches them for
 * cycles, that is, for scopes that wait for each other. One wait of each cycle ends with {@link DeadlockException}.
 * Without detection, the scopes would wait until the patience of one of them ends. A request that is granted sooner
 * costs nothing extra.
 *
 * <p>On a store without wait reports, such as session locks, only cycles within one process are found.
 *
 * <p>Immutable: each setter returns a new object.
 *
 * @since 0.1.0
 */
public final class DeadlockDetection {
    private static final Duration MIN_AFTER = Duration.ofMillis(100);
    private static final Duration MAX_AFTER = Duration.ofHours(1);
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

    /**
     * Returns the default: waits are reported after one second, and each process searches for cycles that its own waits
     * are part of.
     */
    public static DeadlockDetection standard() {
        return STANDARD;
    }

    /** Returns a configuration without detection. A deadlock lasts until the shortest patience in its cycle ends. */
    public static DeadlockDetection off() {
        return new DeadlockDetection(STANDARD.after, false, true, false);
    }

    /**
     * Sets how long a wait lasts before its process reports it. The default is one second.
     *
     * @throws IllegalArgumentException if the duration is not between 100 ms and one hour
     */
    public DeadlockDetection after(Duration wait) {
        Objects.requireNonNull(wait, "wait is null: give a Duration");
        if (wait.compareTo(MIN_AFTER) < 0 || wait.compareTo(MAX_AFTER) > 0) {
            throw new IllegalArgumentException("Deadlock detection starts after " + wait
                    + ": choose a duration between " + MIN_AFTER + " and " + MAX_AFTER);
        }
        return new DeadlockDetection(wait, true, searching, monitoring);
    }

    /**
     * Makes this process stand for election as the monitor.
     *
     * <p>The namespace elects one monitor among these processes. It searches for all processes, every 400 ms, and also
     * finds cycles for processes that are {@link #notSearching()}. Each process that is not elected waits for the
     * monitor's lock, and sends a wait report every two seconds.
     */
    public DeadlockDetection withMonitor() {
        return new DeadlockDetection(after, true, searching, true);
    }

    /**
     * Reports the waits of this process but leaves the search to a monitor, which can also end a wait of this process.
     *
     * <p>Other processes see these waits but end only their own. Run at least one process {@link #withMonitor()}:
     * without a monitor, a cycle whose youngest wait is in this process lasts until the patience of one of its waits
     * ends, and so do the cycles that overlap with it.
     */
    public DeadlockDetection notSearching() {
        return new DeadlockDetection(after, true, false, monitoring);
    }

    /** Returns whether waits are checked at all. */
    public boolean isOn() {
        return on;
    }

    /** Returns how long a wait lasts before it is reported. */
    public Duration after() {
        return after;
    }

    /** Returns whether this process searches for cycles. */
    public boolean isSearching() {
        return on && searching;
    }

    /** Returns whether this process stands for election as the monitor. */
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
