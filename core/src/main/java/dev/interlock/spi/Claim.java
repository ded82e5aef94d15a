package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import java.time.Duration;

/**
 * One key that an attempt wants, with its mode and lease.
 *
 * @param key the key
 * @param mode the mode to hold it in
 * @param permits the number of permits to acquire; 1 in the other modes
 * @param capacity the total number of permits; 1 in the other modes
 * @param lease how long the grant lasts without a renewal
 * @param lockDelay how much longer the store keeps the lock closed after the lease expires. A release before
 *     the lease expires opens the lock at once.
 * @since 0.1.0
 */
public record Claim(LockKey key, LockMode mode, int permits, int capacity, Duration lease, Duration lockDelay) {
    /** Returns whether both claims have the same mode, permits and capacity. Keys and lease lengths may differ. */
    public boolean sameKindAs(Claim other) {
        return mode == other.mode && permits == other.permits && capacity == other.capacity;
    }
}
