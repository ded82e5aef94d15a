package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;

/**
 * The store's record that an attempt got a key.
 *
 * <p>Renewals and releases name all three parts, so they can never affect the lock of a later holder.
 *
 * @param key the key that was granted
 * @param owner the attempt that it was granted to
 * @param number the grant number. For one key, it is greater than the number of every earlier grant.
 * @since 0.1.0
 */
public record Grant(LockKey key, OwnerId owner, long number) {}
