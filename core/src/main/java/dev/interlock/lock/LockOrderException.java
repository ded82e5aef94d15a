package dev.interlock.lock;

/** Waiting for this key could deadlock: the scope holds a key that comes later in the global order. */
public final class LockOrderException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** With a sentence that has the facts. */
    public LockOrderException(String message) {
        super(message, null);
    }
}
