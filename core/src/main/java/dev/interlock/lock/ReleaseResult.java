package dev.interlock.lock;

/** What became of a release. */
public enum ReleaseResult {
    /** The lock was ours; it is free now, or was passed on to the next waiter, or leases that joined it still hold it. */
    RELEASED,

    /** There was nothing left to release: the lease had been lost or already closed before. */
    ALREADY_ENDED,

    /**
     * No answer came within the release budget, or the first one was lost and the lock was not held any more when asked again. The
     * engine goes on trying until the lease is over; it is free at the latest when the lease ends.
     */
    UNKNOWN
}
