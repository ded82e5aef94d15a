package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import java.time.Duration;

/**
 * What an attempt wants of one key.
 *
 * @param key the key
 * @param mode how to hold it
 * @param permits how many permits, 1 in the other modes
 * @param capacity how many permits there are in all, 1 in the other modes
 * @param lease how long the grant lasts without a renewal
 * @param lockDelay how much longer the store keeps the record closed to others; a release by its owner still frees it
 */
public record Claim(LockKey key, LockMode mode, int permits, int capacity, Duration lease, Duration lockDelay) {
    /** Whether a grant for one of these claims serves the other one as well, its length aside. */
    public boolean sameKindAs(Claim other) {
        return mode == other.mode && permits == other.permits && capacity == other.capacity;
    }
}
