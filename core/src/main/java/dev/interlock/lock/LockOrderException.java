package dev.interlock.lock;

/**
 * The request could deadlock: its scope holds a key that comes later in the lock order.
 *
 * <p>The request acquired nothing, and the scope still holds what it held. Acquire the keys in one request, or in the
 * lock order. {@link OrderPolicy} can turn the check off.
 *
 * @since 0.1.0
 */
public final class LockOrderException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message that names both keys. */
    public LockOrderException(String message) {
        super(message, null);
    }
}
