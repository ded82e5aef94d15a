package dev.interlock.lock;

/**
 * The store or the engine refused the request for a reason other than a busy lock. The message says why and what to
 * change.
 *
 * @since 0.1.0
 */
public final class LockRefusedException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message that says what was refused and why. */
    public LockRefusedException(String message) {
        super(message, null);
    }
}
