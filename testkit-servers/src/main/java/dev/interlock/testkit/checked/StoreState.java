package dev.interlock.testkit.checked;

import dev.interlock.lock.LockKey;
import java.util.List;

/**
 * What a store has on record in one namespace. Every method asks the store anew.
 *
 * @since 0.1.0
 */
public interface StoreState {
    /**
     * The number of the current grant of this key: {@code FencingToken.grant()} of its holder. Not positive if the key
     * is free.
     */
    long recordedGrant(LockKey key);

    /**
     * The highest number that the store has drawn for a grant: of this key, or of the namespace if all keys share a
     * counter.
     */
    long lastNumber(LockKey key);

    /** How many milliseconds the store keeps the current grant. */
    long millisLeft(LockKey key);

    /** Whether a waiter is queued for this key. */
    boolean hasQueue(LockKey key);

    /** Describes each grant and queue place that has not ended. */
    List<String> leftovers();

    /** How many connections the clients of this namespace have in use. */
    long connectionsInUse();
}
