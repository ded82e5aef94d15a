package dev.interlock.bench;

/** One or several locks as a workload uses them. */
@FunctionalInterface
public interface LockGuard {
    /** Acquires, runs the section and releases. Waits for the lock up to a limit that the contender sets. */
    void run(Runnable section);
}
