package dev.interlock.lock;

/** The lock stayed busy until the patience was over; says who holds it and since when if the store knows. */
public final class LockTimeoutException extends InterlockException {
    private static final long serialVersionUID = 1L;

    /** With a sentence that has the facts. */
    public LockTimeoutException(String message) {
        super(message, null);
    }
}
