package dev.interlock.lock;

/**
 * The resource has seen a newer fencing token for this key and rejected this one.
 *
 * <p>The lease is no longer valid, and another request has held the lock since. Stop the work and acquire the lock
 * again.
 *
 * @since 0.1.0
 */
public final class StaleTokenException extends InterlockException {
    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final transient FencingToken refused;
    private final transient FencingToken newest;

    /**
     * Creates the exception.
     *
     * @param key the key
     * @param refused the token that was rejected
     * @param newest the highest token that the resource has seen
     */
    public StaleTokenException(LockKey key, FencingToken refused, FencingToken newest) {
        super(
                "Token " + refused + " for \"" + key + "\" is refused: token " + newest
                        + " has been seen, so another holder came later. Stop the work and acquire again",
                null);
        this.key = key;
        this.refused = refused;
        this.newest = newest;
    }

    /** Returns the key that the token belongs to. */
    public LockKey key() {
        return key;
    }

    /** Returns the token that was rejected. */
    public FencingToken refused() {
        return refused;
    }

    /** Returns the highest token that the resource has seen. */
    public FencingToken newest() {
        return newest;
    }
}
