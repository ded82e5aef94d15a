package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;

/**
 * Identifies a queue place: one attempt in the queue of one key.
 *
 * @param id the id of the attempt
 * @param key the key
 * @since 0.1.0
 */
public record PlaceId(OwnerId id, LockKey key) {}
