package dev.interlock.lock;

import org.jspecify.annotations.Nullable;

/**
 * The store did not answer, so whether the lock is free is not known; it must be treated as taken.
 *
 * <p>Nothing is held by the caller. If the request did reach the store, Interlock takes it back in the background; at the
 * worst the lock is free again after the lease.
 */
public final class StoreUnavailableException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** With a sentence that has the facts, and what the driver said. */
    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
