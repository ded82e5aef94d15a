package dev.interlock.bench;

/** One or several locks, as a workload uses them. */
@FunctionalInterface
public interface Guard {
    /** Acquires, runs the section and releases. Waits as long as it takes, within a bound of the contender's. */
    void run(Runnable section);
}
