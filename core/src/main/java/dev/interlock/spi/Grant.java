package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;

/**
 * The name of one grant: renewal and release always name all three, so nobody can touch a successor's lock.
 *
 * @param key what was granted
 * @param owner to whom
 * @param number the store's number for it: for one key, larger than that of every earlier grant
 */
public record Grant(LockKey key, OwnerId owner, long number) {}
