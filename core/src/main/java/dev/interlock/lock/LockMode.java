package dev.interlock.lock;

/** How a lock is held: alone, together with other readers, or as some of a number of permits. */
public enum LockMode {
    /** One holder, and nobody else in any mode. Only such a lease may raise a fence. */
    EXCLUSIVE,

    /** Any number of shared holders, and no exclusive one. */
    SHARED,

    /** Holders whose permits together stay within the capacity that each request names. */
    PERMITS
}
