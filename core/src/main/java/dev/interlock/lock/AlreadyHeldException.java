package dev.interlock.lock;

/**
 * The scope of the request already holds the key, so the wait would never end.
 *
 * <p>The request acquired nothing. To join the existing hold, use {@link LockRequest#reentrant()}.
 *
 * @since 0.1.0
 */
public final class AlreadyHeldException extends InterlockException {
    private static final long serialVersionUID = 1L;

    private final transient LockKey key;

    /**
     * Creates the exception.
     *
     * @param key the key
     * @param message which scope holds the key, and what to do
     */
    public AlreadyHeldException(LockKey key, String message) {
        super(message, null);
        this.key = key;
    }

    /** Returns the key that the scope already holds. */
    public LockKey key() {
        return key;
    }
}
