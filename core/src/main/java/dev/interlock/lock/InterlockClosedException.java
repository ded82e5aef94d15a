package dev.interlock.lock;

/** This Interlock was closed; open a new one. */
public final class InterlockClosedException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** With a sentence that has the facts. */
    public InterlockClosedException(String message) {
        super(message, null);
    }
}
