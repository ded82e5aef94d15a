package dev.interlock.lock;

/**
 * The outcome of a release.
 *
 * @since 0.1.0
 */
public enum ReleaseResult {
    /**
     * The lease was valid and is closed. The lock is free, has been passed to the next waiter, or is still held by
     * leases that joined it.
     */
    RELEASED,

    /** There was nothing to release: the lease was already closed or lost. */
    ALREADY_ENDED,

    /**
     * It is not known whether the store released the lock: it did not answer in time, or the first answer was lost and
     * the lock was no longer held when Interlock asked again. Interlock repeats the release until the lease ends. The
     * lock is free by then at the latest.
     */
    UNKNOWN
}
