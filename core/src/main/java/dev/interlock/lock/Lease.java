package dev.interlock.lock;

/**
 * The right to one lock: key, owner, token and a deadline; closing it releases.
 *
 * <pre>
 *   holder A   |== token 7 ==|.......... paused ..........| write(7): refused, 8 was seen
 *   holder B                     |== token 8 ==| write(8): accepted
 *   store     deadline of 7 ^
 * </pre>
 *
 * The lease ends by time; the resource decides by token. {@link Holding} says how loss is told.
 */
public interface Lease extends Holding {
    /** What is locked. */
    LockKey key();

    /** Who holds it: the value that the store compares, shown as a digest. */
    OwnerId owner();

    /** How it is held. */
    LockMode mode();

    /** The token to send along with every write that the lock protects. The same for as long as the lease lives. */
    FencingToken token();
}
