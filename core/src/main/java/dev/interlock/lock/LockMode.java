package dev.interlock.lock;

/**
 * How a lock is held: exclusively, shared with others, or as a number of permits.
 *
 * @since 0.1.0
 */
public enum LockMode {
    /** One holder, and no other in any mode. Only an exclusive lease can raise a fence. */
    EXCLUSIVE,

    /** Any number of shared holders, but no holder in another mode. */
    SHARED,

    /** Any number of holders, as long as their permits together do not exceed the capacity of the request. */
    PERMITS
}
