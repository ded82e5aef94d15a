package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;

/**
 * Receives the messages that a store sends without a request.
 *
 * <p>The engine implements it. A message that is lost, late or repeated costs time, never correctness. The methods
 * never block and never throw, and any thread may call them.
 *
 * @since 0.1.0
 */
public interface StoreListener {
    /**
     * A waiter of this process was granted its key.
     *
     * <p>The engine knows a moment at which the waiter had not been granted the key yet, and counts the lease from
     * there.
     *
     * @param granted the grant, with the length of its lease from the moment of the grant; zero if the grant becomes
     *     valid only with its first renewal
     */
    void granted(Granted granted);

    /** A key may have become free. */
    void maybeFree(LockKey key);

    /** The session has ended, and with it every grant and every queue place of this process. */
    void sessionLost(LossReason reason);

    /**
     * The connection is back. Pushed grants may have been lost while it was down, so the engine sends a heartbeat for
     * every waiter now.
     */
    void reconnected();
}
