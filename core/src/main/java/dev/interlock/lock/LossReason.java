package dev.interlock.lock;

/** Why a lease ended before it was closed. */
public enum LossReason {
    /** Its time was over: the lease was fixed, or no renewal was confirmed in time. */
    EXPIRED("its time ran out before a renewal was confirmed"),

    /** No answer came from the store until the deadline; the store may or may not still hold the record. */
    STORE_UNREACHABLE("the store did not answer until the deadline"),

    /** Someone else holds the lock: the store found a newer grant in its place. */
    REPLACED("somebody else has taken the lock"),

    /** An operator released it by force. */
    FORCED("it was released by force"),

    /** The session that carried it ended, on stores that tie locks to a session. */
    SESSION_LOST("the store ended the session that carried it"),

    /** The host slept longer than the lease could bear. */
    SUSPENDED("the host was suspended past the deadline"),

    /** The maximum hold time was reached, so it was not renewed any more. */
    HELD_TOO_LONG("its maximum hold time was over"),

    /** The lease object was garbage-collected without having been closed. */
    ABANDONED("it was dropped without being closed"),

    /** Interlock was closed while it was held, and released it. */
    CLOSED("Interlock was closed");

    private final String sentence;

    LossReason(String sentence) {
        this.sentence = sentence;
    }

    /** The reason as the end of a sentence, for messages. */
    public String sentence() {
        return sentence;
    }
}
