package dev.interlock.lock;

/** The store or the engine refused the request for a reason other than a holder; says which. */
public final class LockRefusedException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** With a sentence that has the facts. */
    public LockRefusedException(String message) {
        super(message, null);
    }
}
