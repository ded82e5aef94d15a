package dev.interlock.lock;

import java.util.List;

/**
 * The right to several locks, taken in the one global order, renewed, lost and released as one.
 *
 * <p>{@link #of(LockKey)} gives the view of one key, with its own token, for the write that this key protects.
 * Such a view cannot be closed by itself; close the set.
 */
public interface LeaseSet extends Holding {
    /** The keys in the order in which they were taken, without duplicates. */
    List<LockKey> keys();

    /**
     * The view of one key.
     *
     * @throws IllegalArgumentException if the key is not in this set
     */
    Lease of(LockKey key);

    /** The token of one key. */
    default FencingToken token(LockKey key) {
        return of(key).token();
    }
}
