package dev.interlock.jdbc;

import dev.interlock.lock.LockKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What this process remembers of locks, so that it tries the likely statement first. A wrong guess costs a statement, never more. */
final class Guesses {
    private static final int MOST = 10_000;

    /** By lock that has a row: whether others wanted it when it was last seen. */
    private final Map<LockKey, Boolean> crowded = new ConcurrentHashMap<>();

    /** Whether the last lock that was not known had a row all the same: somebody has used it before, and so it is with most or with few. */
    private volatile boolean strangersHaveRows;

    /** Whether the lock has been seen before, so that it has a row. */
    boolean isKnown(LockKey key) {
        return crowded.containsKey(key);
    }

    /** Whether it is likely to have a row. */
    boolean hasRow(LockKey key) {
        return strangersHaveRows || isKnown(key);
    }

    void sawStranger(boolean hadRow) {
        strangersHaveRows = hadRow;
    }

    boolean isCrowded(LockKey key) {
        return crowded.getOrDefault(key, false);
    }

    void saw(LockKey key, boolean isCrowded) {
        Boolean before = crowded.get(key);
        if (before != null && before == isCrowded) {
            return;
        }
        if (crowded.size() >= MOST) {
            crowded.clear();
        }
        crowded.put(key, isCrowded);
    }
}
