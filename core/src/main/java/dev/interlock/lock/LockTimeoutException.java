package dev.interlock.lock;

/**
 * The lock stayed busy until the patience ended.
 *
 * <p>The request acquired nothing and is not granted later. The message names the holder and how long it has held the
 * lock, if the store knows.
 *
 * @since 0.1.0
 */
public final class LockTimeoutException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message that names the key and its holder. */
    public LockTimeoutException(String message) {
        super(message, null);
    }
}
