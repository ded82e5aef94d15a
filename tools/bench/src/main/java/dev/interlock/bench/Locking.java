package dev.interlock.bench;

import java.util.List;

/** A contender that was opened: makes guards and holds locks. Thread-safe. */
public interface Locking extends AutoCloseable {
    /** The guard of one name; made before the clock runs. */
    Guard guard(String name);

    /** One guard of several names, which come in any order and without duplicates; made before the clock runs. */
    Guard guardAll(List<String> names);

    /**
     * Takes a lock and keeps it.
     *
     * @return what releases it, to be run by the same thread
     */
    Runnable hold(String name);

    /** Ends what was opened. */
    @Override
    void close();
}
