package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;

/** A place in the queue of one key: which attempt waits, and where. */
public record Place(OwnerId id, LockKey key) {}
