package dev.interlock.lock;

/**
 * The right to one lock until a deadline. Closing it releases the lock.
 *
 * <p>Send the {@linkplain #token() token} along with every write that the lock protects. A holder that is paused can
 * lose its lease without noticing; the resource then rejects its late write because of the token:
 *
 * <pre>
 *   holder A   |== token 7 ==|.......... paused ..........| write(7): rejected, 8 was seen
 *   holder B                     |== token 8 ==| write(8): accepted
 *   store     deadline of 7 ^
 * </pre>
 *
 * <p>{@link Holding} describes what happens on expiry, interruption and a lost connection.
 *
 * @since 0.1.0
 */
public interface Lease extends Holding {
    /** Returns the key of the lock. */
    LockKey key();

    /** Returns the owner, which the store compares on renewal and release. */
    OwnerId owner();

    /** Returns the mode in which the lock is held. */
    LockMode mode();

    /** Returns the fencing token. It stays the same for the whole life of the lease. */
    FencingToken token();
}
