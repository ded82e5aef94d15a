package dev.interlock.bench;

import java.util.List;

/** An opened contender. Creates guards and holds locks. Thread-safe. */
public interface Locking extends AutoCloseable {
    /** Creates a guard for one name. Called before the measurement. */
    LockGuard guard(String name);

    /** Creates one guard for several distinct names in any order. Called before the measurement. */
    LockGuard guardAll(List<String> names);

    /**
     * Acquires a lock and keeps it.
     *
     * @return releases the lock; must run on the same thread
     */
    Runnable hold(String name);

    /** Closes the contender. */
    @Override
    void close();
}
