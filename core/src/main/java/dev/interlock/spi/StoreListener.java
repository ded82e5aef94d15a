package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;

/**
 * The engine's ear: what a store tells without being asked.
 *
 * <p>A call that is lost, late or doubled costs time, never correctness. Methods never block and never throw.
 */
public interface StoreListener {
    /**
     * A waiter of this process was granted its key, for the given time counted from the moment of the grant; zero if the grant does not
     * count before its first renewal. The engine knows a moment before which the waiter had not been granted anything, and relies on no
     * more than that.
     */
    void granted(Granted granted);

    /** A key may have become free. */
    void maybeFree(LockKey key);

    /** The session that carried every grant and waiter of this process has ended. */
    void sessionLost(LossReason reason);

    /** The connection is back; grants that were pushed meanwhile may have been missed, so waiters are checked now. */
    void reconnected();
}
