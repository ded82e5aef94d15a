package dev.interlock.lock;

/**
 * The thread was interrupted while it waited.
 *
 * <p>The interrupt flag of the thread stays set. An interrupted acquisition holds nothing and is not granted later. An
 * interrupted renewal leaves the lease valid.
 *
 * @since 0.1.0
 */
public final class LockInterruptedException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message that names the keys. */
    public LockInterruptedException(String message) {
        super(message, null);
    }
}
