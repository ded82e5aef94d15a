package dev.interlock.jdbc;

import dev.interlock.lock.LockKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The locks that this process has used, which therefore have rows, and whether each had waiters when it was last used.
 * Decides which statement is tried first. A wrong entry costs one statement, never more.
 */
final class KnownLocks {
    private static final int MAX_KNOWN = 10_000;

    private final Map<LockKey, Boolean> hadWaiters = new ConcurrentHashMap<>();

    boolean contains(LockKey key) {
        return hadWaiters.containsKey(key);
    }

    boolean hadWaiters(LockKey key) {
        return hadWaiters.getOrDefault(key, false);
    }

    void remember(LockKey key, boolean hasWaiters) {
        if (Boolean.valueOf(hasWaiters).equals(hadWaiters.get(key))) {
            return;
        }
        if (hadWaiters.size() >= MAX_KNOWN) {
            hadWaiters.clear();
        }
        hadWaiters.put(key, hasWaiters);
    }
}
