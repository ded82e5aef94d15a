package dev.interlock.lock;

/** The thread was interrupted while it waited; its interrupt flag is set, and nothing is held. */
public final class LockInterruptedException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** With a sentence that has the facts. */
    public LockInterruptedException(String message) {
        super(message, null);
    }
}
