package dev.interlock.lock;

import java.util.List;

/**
 * The right to several locks until a deadline.
 *
 * <p>The locks are acquired in the lock order and are renewed, lost and released together: the loss of one of them is
 * the loss of the set. {@link #of(LockKey)} returns the lease of one key, with its own token, for the write that this
 * key protects. It cannot be closed separately; close the set.
 *
 * @since 0.1.0
 */
public interface LeaseSet extends Holding {
    /** Returns the keys in the order in which they were acquired, without duplicates. */
    List<LockKey> keys();

    /**
     * Returns the lease of one key of this set.
     *
     * @throws IllegalArgumentException if the key is not in this set
     */
    Lease of(LockKey key);

    /**
     * Returns the fencing token of one key of this set.
     *
     * @throws IllegalArgumentException if the key is not in this set
     */
    default FencingToken token(LockKey key) {
        return of(key).token();
    }
}
