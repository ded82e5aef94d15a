package dev.interlock.lock;

/** The lease was lost before it was closed; carries key, owner, token and the reason. */
public final class LeaseLostException extends InterlockException {
    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final transient OwnerId owner;
    private final transient FencingToken token;
    private final LossReason reason;

    /** For the lost lease. */
    public LeaseLostException(LockKey key, OwnerId owner, FencingToken token, LossReason reason) {
        super(
                "Lease on \"" + key + "\" with token " + token + " of owner " + owner + " is lost: " + reason.sentence()
                        + ". Stop the work; writes that carry this token may be refused",
                null);
        this.key = key;
        this.owner = owner;
        this.token = token;
        this.reason = reason;
    }

    /** What was locked. */
    public LockKey key() {
        return key;
    }

    /** Who held it. */
    public OwnerId owner() {
        return owner;
    }

    /** The token that is no longer the newest. */
    public FencingToken token() {
        return token;
    }

    /** Why it was lost. */
    public LossReason reason() {
        return reason;
    }
}
