package dev.interlock.lock;

/**
 * The {@code Interlock} was closed, before or during the request. The request acquired nothing.
 *
 * @since 0.1.0
 */
public final class InterlockClosedException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message that names the keys. */
    public InterlockClosedException(String message) {
        super(message, null);
    }
}
