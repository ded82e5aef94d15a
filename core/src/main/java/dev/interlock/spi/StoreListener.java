package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;

/**
 * The engine's ear: what a store tells without being asked.
 *
 * <p>Every call is a hint that the engine verifies with the store before it acts on it, except {@link #sessionLost}. So
 * a call that is lost, late or doubled costs time, never correctness. Methods never block and never throw.
 */
public interface StoreListener {
    /** A waiter of this process was granted its key. */
    void granted(Granted granted);

    /** A key may have become free. */
    void maybeFree(LockKey key);

    /** The session that carried every grant and waiter of this process has ended. */
    void sessionLost(LossReason reason);

    /** The connection is back; grants that were pushed meanwhile may have been missed, so waiters are checked now. */
    void reconnected();
}
