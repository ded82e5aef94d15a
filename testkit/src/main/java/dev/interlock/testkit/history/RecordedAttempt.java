package dev.interlock.testkit.history;

import dev.interlock.lock.LockMode;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One acquire and everything that follows from it, recorded by the process that made it.
 *
 * <p>A {@link Recorder} creates it and records the request. An acquire ends with one of {@link #granted},
 * {@link #busy}, {@link #timedOut}, {@link #cancelled}, {@link #interrupted}, {@link #closed} and {@link #unknown}.
 * After {@code unknown}, another answer may follow when the engine has found out. An attempt without an end stays
 * open: the checker regards a grant as possible.
 *
 * <p>Thread-safe like the recorder.
 *
 * @since 0.1.0
 */
public final class RecordedAttempt {
    private final Recorder recorder;
    private final long id;
    private final int key;
    private final long owner;
    private final int mode;
    private final long permits;
    private final long leaseNanos;
    private final AtomicInteger renewals = new AtomicInteger();
    private volatile long token;

    RecordedAttempt(Recorder recorder, long id, int key, long owner, LockMode mode, long permits, long leaseNanos) {
        this.recorder = recorder;
        this.id = id;
        this.key = key;
        this.owner = owner;
        this.mode = Op.codeOf(mode);
        this.permits = permits;
        this.leaseNanos = leaseNanos;
    }

    void begin() {
        acquire(Op.Phase.INVOKE, Op.Cause.NONE, 0);
    }

    /** The id, unique across all processes of the run. Pass it to the resource with each request. */
    public long id() {
        return id;
    }

    /** The owner that made the request. */
    public long owner() {
        return owner;
    }

    /** The token of the grant, even of a late one; 0 before. */
    public long token() {
        return token;
    }

    /** Records the grant. The holder may rely on it until this moment of its clock. */
    public void granted(long token, long validUntilNanos) {
        this.token = token;
        acquire(Op.Phase.OK, Op.Cause.NONE, validUntilNanos);
    }

    /** Records that the lock was busy and the request had no patience. */
    public void busy() {
        acquire(Op.Phase.FAIL, Op.Cause.BUSY, 0);
    }

    /** Records that the wait timed out. */
    public void timedOut() {
        acquire(Op.Phase.FAIL, Op.Cause.TIMED_OUT, 0);
    }

    /** Records that the wait was cancelled. */
    public void cancelled() {
        acquire(Op.Phase.FAIL, Op.Cause.CANCELLED, 0);
    }

    /** Records that the wait was interrupted. */
    public void interrupted() {
        acquire(Op.Phase.FAIL, Op.Cause.INTERRUPTED, 0);
    }

    /** Records that the wait ended because the client was closed. */
    public void closed() {
        acquire(Op.Phase.FAIL, Op.Cause.CLOSED, 0);
    }

    /** Records that the outcome of the acquire is unknown. */
    public void unknown() {
        acquire(Op.Phase.UNKNOWN, Op.Cause.NONE, 0);
    }

    /**
     * Records that the store granted the attempt after its wait had ended. The grant must be returned and never used.
     */
    public void lateGrant(long lateToken) {
        // The release that follows belongs to this grant, not to an earlier one.
        this.token = lateToken;
        write(Op.LATE_GRANT, Op.Phase.POINT, Op.Cause.NONE, lateToken, 0, leaseNanos);
    }

    /**
     * Records that a renewal is requested and returns its number. If several renewals can be in progress, pass the
     * number back with the answer.
     */
    public int renew() {
        int renewal = renewals.incrementAndGet();
        renewal(Op.Phase.INVOKE, renewal, 0);
        return renewal;
    }

    /**
     * Records that the latest renewal succeeded. The holder may rely on it until this moment of its clock. May be
     * called without {@link #renew} if only the view of the holder is known.
     */
    public void renewed(long validUntilNanos) {
        renewed(renewals.get(), validUntilNanos);
    }

    /** Records that this renewal succeeded. The holder may rely on it until this moment of its clock. */
    public void renewed(int renewal, long validUntilNanos) {
        renewal(Op.Phase.OK, renewal, validUntilNanos);
    }

    /** Records that the store reported the lock as no longer held. */
    public void renewRefused() {
        renewal(Op.Phase.FAIL, renewals.get(), 0);
    }

    /** Records that the outcome of the renewal is unknown. */
    public void renewUnknown() {
        renewal(Op.Phase.UNKNOWN, renewals.get(), 0);
    }

    /** Records that the release is requested. */
    public void release() {
        write(Op.RELEASE, Op.Phase.INVOKE, Op.Cause.NONE, token, 0, 0);
    }

    /** Records that the lock was held until now and is released. */
    public void released() {
        write(Op.RELEASE, Op.Phase.OK, Op.Cause.NONE, token, 0, 0);
    }

    /** Records that there was nothing to release, because the lock had been lost before. */
    public void wasLost() {
        write(Op.RELEASE, Op.Phase.FAIL, Op.Cause.NONE, token, 0, 0);
    }

    /** Records that the outcome of the release is unknown. */
    public void releaseUnknown() {
        write(Op.RELEASE, Op.Phase.UNKNOWN, Op.Cause.NONE, token, 0, 0);
    }

    /** Records that the holder was notified of the loss. */
    public void lost() {
        write(Op.LOST, Op.Phase.POINT, Op.Cause.NONE, token, 0, 0);
    }

    /** Records the answer to "do I still hold it?" and when the question was asked. */
    public void checked(long askedNanos, boolean held) {
        write(Op.CHECK, Op.Phase.POINT, Op.Cause.of(held), token, askedNanos, 0);
    }

    /** Records that the protected section begins. */
    public void enter() {
        write(Op.ENTER, Op.Phase.POINT, Op.Cause.NONE, token, 0, 0);
    }

    /** Records that a step inside the protected section begins. */
    public void step() {
        write(Op.STEP, Op.Phase.POINT, Op.Cause.NONE, token, 0, 0);
    }

    /** Records that the protected section has ended. */
    public void exit() {
        write(Op.EXIT, Op.Phase.POINT, Op.Cause.NONE, token, 0, 0);
    }

    /** Records that a write to the resource of this key is requested. No two writes may have the same value. */
    public void write(long base, long value) {
        write(Op.CLIENT_WRITE, Op.Phase.INVOKE, Op.Cause.NONE, token, base, value);
    }

    /**
     * Records that the resource accepted the write. If an unfenced control runs as well, this is about the fenced
     * resource.
     */
    public void writeAccepted(long base, long value) {
        write(Op.CLIENT_WRITE, Op.Phase.OK, Op.Cause.NONE, token, base, value);
    }

    /** Records that the resource refused the write as stale. */
    public void writeRefused(long base, long value) {
        write(Op.CLIENT_WRITE, Op.Phase.FAIL, Op.Cause.NONE, token, base, value);
    }

    /** Records that the outcome of the write is unknown. */
    public void writeUnknown(long base, long value) {
        write(Op.CLIENT_WRITE, Op.Phase.UNKNOWN, Op.Cause.NONE, token, base, value);
    }

    /** Records a re-entry of the same owner, with its depth and token. The first grant has depth 1. */
    public void reentered(long tokenOfReentry, int depth) {
        write(Op.REENTER, Op.Phase.POINT, Op.Cause.NONE, tokenOfReentry, 0, depth);
    }

    /** Records that a re-entry was closed, and the depth after it. */
    public void left(int depth) {
        write(Op.LEAVE, Op.Phase.POINT, Op.Cause.NONE, token, 0, depth);
    }

    /**
     * Records that this key was requested in a set. Positions count from 0 in the order in which keys must be acquired.
     */
    public void inSet(long set, int position, int size) {
        write(Op.SET_MEMBER, Op.Phase.POINT, Op.Cause.NONE, 0, set, positionInSet(position, size));
    }

    /**
     * Records that this key of the set is acquired now. Only for runs in which the order of acquisition is visible.
     */
    public void takenInSet(long set, int position, int size) {
        write(Op.SET_TAKEN, Op.Phase.POINT, Op.Cause.NONE, token, set, positionInSet(position, size));
    }

    /**
     * Records that this owner waits for another owner, which holds the key. Deadlocks are checked between owners, so
     * here an owner is a scope: a unit of work that may hold several locks.
     */
    public void waitsFor(long holder) {
        write(Op.WAIT_BEGIN, Op.Phase.POINT, Op.Cause.NONE, 0, holder, 0);
    }

    /** Records that this owner no longer waits for the other one. */
    public void waitsNoLongerFor(long holder) {
        write(Op.WAIT_END, Op.Phase.POINT, Op.Cause.NONE, 0, holder, 0);
    }

    /** Records that this owner was chosen as the victim of a deadlock. */
    public void deadlockVictim() {
        write(Op.VICTIM, Op.Phase.POINT, Op.Cause.NONE, 0, 0, 0);
    }

    private static long positionInSet(int position, int size) {
        if (position < 0 || position >= size) {
            throw new IllegalArgumentException("Position " + position + " is not in a set of " + size + " keys.");
        }
        return (long) position << 32 | size;
    }

    private void acquire(Op.Phase phase, Op.Cause cause, long validUntil) {
        recorder.log()
                .append(
                        Op.header(Op.ACQUIRE, phase, mode, cause, key),
                        recorder.now(),
                        id,
                        owner,
                        token,
                        validUntil,
                        leaseNanos,
                        permits);
    }

    private void renewal(Op.Phase phase, int renewal, long validUntil) {
        recorder.log()
                .append(
                        Op.header(Op.RENEW, phase, mode, Op.Cause.NONE, key),
                        recorder.now(),
                        id,
                        owner,
                        token,
                        validUntil,
                        leaseNanos,
                        renewal);
    }

    private void write(Op op, Op.Phase phase, Op.Cause cause, long withToken, long a, long b) {
        recorder.log().append(Op.header(op, phase, mode, cause, key), recorder.now(), id, owner, withToken, a, b, 0);
    }
}
