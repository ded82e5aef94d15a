package dev.interlock.lock;

/** The scope holds this key already, so waiting for it would never end; says how to join the hold instead. */
public final class AlreadyHeldException extends InterlockException {
    private static final long serialVersionUID = 1L;

    private final transient LockKey key;

    /** For the key and the scope that holds it. */
    public AlreadyHeldException(LockKey key, String message) {
        super(message, null);
        this.key = key;
    }

    /** The key in question. */
    public LockKey key() {
        return key;
    }
}
