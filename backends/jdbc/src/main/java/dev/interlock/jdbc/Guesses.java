package dev.interlock.jdbc;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Grant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What this process remembers of locks, so that it tries the likely statement first. A wrong guess costs a statement, never more. */
final class Guesses {
    private static final int MOST = 10_000;

    /** Who wants a lock beside its holder. */
    enum Interest {
        NOBODY,
        /** One alone, who stands in the lock's own row; on PostgreSQL. */
        HEIR,
        /** Those who have rows of their own, or share it. */
        CROWD
    }

    /** By lock that has a row: who else wanted it when it was last seen. */
    private final Map<LockKey, Interest> interest = new ConcurrentHashMap<>();

    /** By lock: where its row lay when this process took it, for an owner who has no other lock. Every change of a row moves it. */
    private final Map<LockKey, LeaseTable.Drawn> addresses = new ConcurrentHashMap<>();

    /** Whether the last lock that was not known had a row all the same: somebody has used it before, and so it is with most or with few. */
    private volatile boolean strangersHaveRows;

    /** Whether the lock has been seen before, so that it has a row. */
    boolean isKnown(LockKey key) {
        return interest.containsKey(key);
    }

    /** Whether it is likely to have a row. */
    boolean hasRow(LockKey key) {
        return strangersHaveRows || isKnown(key);
    }

    void sawStranger(boolean hadRow) {
        strangersHaveRows = hadRow;
    }

    Interest interestIn(LockKey key) {
        return interest.getOrDefault(key, Interest.NOBODY);
    }

    /** Whether somebody else is likely to want it. */
    boolean isWanted(LockKey key) {
        return interestIn(key) != Interest.NOBODY;
    }

    void saw(LockKey key, Interest now) {
        if (interest.get(key) == now) {
            return;
        }
        if (interest.size() >= MOST) {
            interest.clear();
        }
        interest.put(key, now);
    }

    /** A lock was taken just now, and its row lies there, if the database has said so. */
    void liesAt(LockKey key, LeaseTable.Drawn taken) {
        if (taken.address() == null) {
            return;
        }
        if (addresses.size() >= MOST) {
            addresses.clear();
        }
        addresses.put(key, taken);
    }

    /** Where the row of a grant lay when it was taken, for the one who gives it back; null if that is not known. */
    @Nullable
    String addressOf(Grant grant) {
        LeaseTable.Drawn taken = addresses.remove(grant.key());
        return taken == null || taken.number() != grant.number() ? null : taken.address();
    }

    /** The row of a lock is about to be changed, and moves by that. */
    void moves(LockKey key) {
        addresses.remove(key);
    }
}
