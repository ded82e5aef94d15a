package dev.interlock.testkit;

import dev.interlock.lock.LockMode;
import dev.interlock.spi.StoreCapabilities;

/** Something that not every store can do, and that a case may need. */
enum Capability {
    QUEUE("waiters that queue in the store"),
    NO_QUEUE("a store without a queue"),
    PUSHED_GRANTS("grants that are pushed"),
    OWN_EXPIRY("grants that expire each by itself"),
    SHARED("shared locks"),
    PERMITS("permits"),
    LOCK_DELAY("a lock-delay"),
    INTROSPECTION("introspection"),
    FORCED_RELEASE("forced release"),
    WAIT_NOTES("notes about waits");

    private final String words;

    Capability(String words) {
        this.words = words;
    }

    boolean isIn(StoreCapabilities store) {
        return switch (this) {
            case QUEUE -> store.queue() == StoreCapabilities.Queue.SERVER;
            case NO_QUEUE -> store.queue() == StoreCapabilities.Queue.NONE;
            case PUSHED_GRANTS -> store.push() == StoreCapabilities.Push.GRANTS;
            case OWN_EXPIRY -> store.ownership() == StoreCapabilities.Ownership.PER_GRANT;
            case SHARED -> store.modes().contains(LockMode.SHARED);
            case PERMITS -> store.modes().contains(LockMode.PERMITS);
            case LOCK_DELAY -> store.lockDelay();
            case INTROSPECTION -> store.introspection();
            case FORCED_RELEASE -> store.forcedRelease();
            case WAIT_NOTES -> store.waitNotes();
        };
    }

    String words() {
        return words;
    }
}
