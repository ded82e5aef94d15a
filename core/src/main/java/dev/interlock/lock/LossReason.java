package dev.interlock.lock;

/**
 * Why a lease was lost.
 *
 * @since 0.1.0
 */
public enum LossReason {
    /**
     * The lease was not renewed in time: it was a lease without renewal, or no renewal was confirmed before the
     * deadline.
     */
    EXPIRED("its time ran out before a renewal was confirmed"),

    /** The store did not answer until the deadline. It may still have the record of the lease. */
    STORE_UNREACHABLE("the store did not answer until the deadline"),

    /** The store has a newer grant: another request holds the lock. */
    REPLACED("another request has acquired the lock"),

    /** An operator released the lock by force. */
    FORCED("it was released by force"),

    /** The session ended, on stores that tie locks to a session. */
    SESSION_LOST("the store ended its session"),

    /** The host was suspended beyond the deadline. */
    SUSPENDED("the host was suspended beyond the deadline"),

    /** The maximum hold was reached, so the lease was no longer renewed. */
    HELD_TOO_LONG("its maximum hold time has passed"),

    /** The lease became unreachable without being closed. */
    ABANDONED("it was dropped without being closed"),

    /** The {@code Interlock} was closed and released the lock. */
    CLOSED("Interlock was closed");

    private final String sentence;

    LossReason(String sentence) {
        this.sentence = sentence;
    }

    /** Returns the reason as a clause for messages, for example "it was released by force". */
    public String sentence() {
        return sentence;
    }
}
