package dev.interlock.lock;

/**
 * The lease was lost before it was closed.
 *
 * <p>Stop the work that the lock protects: another request may hold the lock now. The {@linkplain #reason() reason}
 * says why. Closing the lease is still allowed and has no effect on the lock.
 *
 * @since 0.1.0
 */
public final class LeaseLostException extends InterlockException {
    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final transient OwnerId owner;
    private final transient FencingToken token;
    private final LossReason reason;

    /** Creates the exception for a lost lease. */
    public LeaseLostException(LockKey key, OwnerId owner, FencingToken token, LossReason reason) {
        super(
                "Lease on \"" + key + "\" with token " + token + " of owner " + owner + " is lost: " + reason.sentence()
                        + ". Stop the work; writes with this token may be rejected",
                null);
        this.key = key;
        this.owner = owner;
        this.token = token;
        this.reason = reason;
    }

    /** Returns the key of the lock. For a {@link LeaseSet}, this is its first key. */
    public LockKey key() {
        return key;
    }

    /** Returns the owner of the lost lease. */
    public OwnerId owner() {
        return owner;
    }

    /** Returns the token of the lost lease. A resource that has seen a newer one rejects it. */
    public FencingToken token() {
        return token;
    }

    /** Returns why the lease was lost. */
    public LossReason reason() {
        return reason;
    }
}
