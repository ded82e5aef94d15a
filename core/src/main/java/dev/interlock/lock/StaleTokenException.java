package dev.interlock.lock;

/** The resource has seen a newer token for this key, so the holder of this one must not touch it. */
public final class StaleTokenException extends InterlockException {
    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final transient FencingToken refused;
    private final transient FencingToken newest;

    /** For the key, the token that was refused, and the newest one that the resource has seen. */
    public StaleTokenException(LockKey key, FencingToken refused, FencingToken newest) {
        super(
                "Token " + refused + " for \"" + key + "\" is refused: token " + newest
                        + " has been seen, so another holder came later. Stop the work and acquire again",
                null);
        this.key = key;
        this.refused = refused;
        this.newest = newest;
    }

    /** The key that the token belongs to. */
    public LockKey key() {
        return key;
    }

    /** The token that came too late. */
    public FencingToken refused() {
        return refused;
    }

    /** The newest token seen. */
    public FencingToken newest() {
        return newest;
    }
}
