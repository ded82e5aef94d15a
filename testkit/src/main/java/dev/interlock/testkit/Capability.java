package dev.interlock.testkit;

import dev.interlock.lock.LockMode;
import dev.interlock.spi.StoreCapabilities;

/** A feature that not every store has and that a case may require. */
enum Capability {
    QUEUE("a queue of waiters in the store"),
    NO_QUEUE("a store without a queue"),
    PUSHED_GRANTS("pushed grants"),
    OWN_EXPIRY("a separate expiry for each grant"),
    SHARED("shared locks"),
    PERMITS("permits"),
    LOCK_DELAY("a lock-delay"),
    INTROSPECTION("introspection"),
    FORCED_RELEASE("forced release"),
    WAIT_REPORTS("wait reports");

    private final String description;

    Capability(String description) {
        this.description = description;
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
            case WAIT_REPORTS -> store.waitReports();
        };
    }

    String description() {
        return description;
    }
}
