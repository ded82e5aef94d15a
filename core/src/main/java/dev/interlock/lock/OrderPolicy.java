package dev.interlock.lock;

/**
 * What happens when a scope asks for a key that comes before a key that it already holds.
 *
 * @since 0.1.0
 */
public enum OrderPolicy {
    /** The request fails with {@link LockOrderException}. */
    REFUSE,

    /** The request continues. The first violation for each pair of lock types is logged. */
    WARN,

    /**
     * The request continues. Two processes can wait for each other until deadlock detection or their patience ends a
     * wait.
     */
    ALLOW
}
