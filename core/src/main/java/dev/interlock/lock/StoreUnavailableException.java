package dev.interlock.lock;

import org.jspecify.annotations.Nullable;

/**
 * The store did not answer, so it is not known whether the lock is free. Treat it as busy.
 *
 * <p>The caller holds nothing. If the request reached the store after all, Interlock withdraws it in the background. In
 * the worst case, the lock is free again when the lease ends.
 *
 * @since 0.1.0
 */
public final class StoreUnavailableException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message which key, and what the store or its driver reported
     * @param cause the exception of the driver, if there is one
     */
    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
