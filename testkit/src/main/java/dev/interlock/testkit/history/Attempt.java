package dev.interlock.testkit.history;

import dev.interlock.lock.LockMode;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One acquire and everything that follows from it, written down by the process that made it.
 *
 * <p>Made by a {@link Recorder}, which has then recorded the invocation. An acquire ends with one of {@link #granted},
 * {@link #busy}, {@link #timedOut}, {@link #cancelled}, {@link #interrupted}, {@link #closed} and {@link #unknown}; after
 * {@code unknown} another answer may follow, when the engine has found out. What is not ended stays open: a check of the
 * history takes it as possible.
 *
 * <p>Thread-safe as the recorder is.
 */
public final class Attempt {
    private final Recorder recorder;
    private final long id;
    private final int key;
    private final long owner;
    private final int mode;
    private final long permits;
    private final long leaseNanos;
    private final AtomicInteger renewals = new AtomicInteger();
    private volatile long token;

    Attempt(Recorder recorder, long id, int key, long owner, LockMode mode, long permits, long leaseNanos) {
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

    /** Unique over all processes of the run; give it to the resource with each request. */
    public long id() {
        return id;
    }

    /** Who asked. */
    public long owner() {
        return owner;
    }

    /** Of the grant, even of a late one; 0 before. */
    public long token() {
        return token;
    }

    /** It was granted, and the holder may believe in it until this moment of its clock. */
    public void granted(long token, long validUntilNanos) {
        this.token = token;
        acquire(Op.Phase.OK, Op.Cause.NONE, validUntilNanos);
    }

    /** Somebody else has it, and there was no patience to wait. */
    public void busy() {
        acquire(Op.Phase.FAIL, Op.Cause.BUSY, 0);
    }

    /** The wait ended with the patience. */
    public void timedOut() {
        acquire(Op.Phase.FAIL, Op.Cause.TIMED_OUT, 0);
    }

    /** The wait was cancelled. */
    public void cancelled() {
        acquire(Op.Phase.FAIL, Op.Cause.CANCELLED, 0);
    }

    /** The wait ended with an interrupt. */
    public void interrupted() {
        acquire(Op.Phase.FAIL, Op.Cause.INTERRUPTED, 0);
    }

    /** The wait ended because the client was closed. */
    public void closed() {
        acquire(Op.Phase.FAIL, Op.Cause.CLOSED, 0);
    }

    /** Nobody knows whether it was granted. */
    public void unknown() {
        acquire(Op.Phase.UNKNOWN, Op.Cause.NONE, 0);
    }

    /** The store granted it after its wait had ended; it must be given back and never used. */
    public void lateGrant(long lateToken) {
        // What gives it back is about this grant, not about any that came before it.
        this.token = lateToken;
        write(Op.LATE_GRANT, Op.Phase.POINT, Op.Cause.NONE, lateToken, 0, leaseNanos);
    }

    /**
     * A renewal is about to be asked for; this is its number. Where several may be under way at once, give the number back
     * with the answer.
     */
    public int renew() {
        int renewal = renewals.incrementAndGet();
        renewal(Op.Phase.INVOKE, renewal, 0);
        return renewal;
    }

    /**
     * The latest renewal succeeded, and the holder may believe in it until this moment of its clock. May come without
     * {@link #renew}, where only the holder's view is known.
     */
    public void renewed(long validUntilNanos) {
        renewed(renewals.get(), validUntilNanos);
    }

    /** This renewal succeeded, and the holder may believe in it until this moment of its clock. */
    public void renewed(int renewal, long validUntilNanos) {
        renewal(Op.Phase.OK, renewal, validUntilNanos);
    }

    /** The store says that it is no longer held. */
    public void renewRefused() {
        renewal(Op.Phase.FAIL, renewals.get(), 0);
    }

    /** Nobody knows whether it was renewed. */
    public void renewUnknown() {
        renewal(Op.Phase.UNKNOWN, renewals.get(), 0);
    }

    /** It is about to be released. */
    public void release() {
        write(Op.RELEASE, Op.Phase.INVOKE, Op.Cause.NONE, token, 0, 0);
    }

    /** It was held until now, and is released. */
    public void released() {
        write(Op.RELEASE, Op.Phase.OK, Op.Cause.NONE, token, 0, 0);
    }

    /** There was nothing to release: it had been lost before. */
    public void wasLost() {
        write(Op.RELEASE, Op.Phase.FAIL, Op.Cause.NONE, token, 0, 0);
    }

    /** Nobody knows whether it was released. */
    public void releaseUnknown() {
        write(Op.RELEASE, Op.Phase.UNKNOWN, Op.Cause.NONE, token, 0, 0);
    }

    /** The holder was told that it has lost it. */
    public void lost() {
        write(Op.LOST, Op.Phase.POINT, Op.Cause.NONE, token, 0, 0);
    }

    /** The answer to "do I still hold it?", and when that was asked. */
    public void checked(long askedNanos, boolean held) {
        write(Op.CHECK, Op.Phase.POINT, Op.Cause.of(held), token, askedNanos, 0);
    }

    /** The protected section begins. */
    public void enter() {
        write(Op.ENTER, Op.Phase.POINT, Op.Cause.NONE, token, 0, 0);
    }

    /** A step inside the protected section begins. */
    public void step() {
        write(Op.STEP, Op.Phase.POINT, Op.Cause.NONE, token, 0, 0);
    }

    /** The protected section has ended. */
    public void exit() {
        write(Op.EXIT, Op.Phase.POINT, Op.Cause.NONE, token, 0, 0);
    }

    /** A write is about to be sent to the resource of this key. Values are chosen so that no two writes have the same. */
    public void write(long base, long value) {
        write(Op.CLIENT_WRITE, Op.Phase.INVOKE, Op.Cause.NONE, token, base, value);
    }

    /** The resource took the write; the fenced one, if an unfenced control runs beside it. */
    public void writeAccepted(long base, long value) {
        write(Op.CLIENT_WRITE, Op.Phase.OK, Op.Cause.NONE, token, base, value);
    }

    /** The resource refused the write as stale. */
    public void writeRefused(long base, long value) {
        write(Op.CLIENT_WRITE, Op.Phase.FAIL, Op.Cause.NONE, token, base, value);
    }

    /** Nobody knows whether the resource took the write. */
    public void writeUnknown(long base, long value) {
        write(Op.CLIENT_WRITE, Op.Phase.UNKNOWN, Op.Cause.NONE, token, base, value);
    }

    /** The same owner took it again; this deep, with this token. The first grant is depth 1. */
    public void reentered(long tokenOfReentry, int depth) {
        write(Op.REENTER, Op.Phase.POINT, Op.Cause.NONE, tokenOfReentry, 0, depth);
    }

    /** A re-entry was closed; it is this deep now. */
    public void left(int depth) {
        write(Op.LEAVE, Op.Phase.POINT, Op.Cause.NONE, token, 0, depth);
    }

    /** This key is asked for in a set; its position in the order in which keys must be taken counts from 0. */
    public void inSet(long set, int position, int size) {
        write(Op.SET_MEMBER, Op.Phase.POINT, Op.Cause.NONE, 0, set, place(position, size));
    }

    /** This key of the set was seen to be taken now: record that where the order of taking can be seen. */
    public void takenInSet(long set, int position, int size) {
        write(Op.SET_TAKEN, Op.Phase.POINT, Op.Cause.NONE, token, set, place(position, size));
    }

    /**
     * This owner waits for that one, which holds the key. Deadlocks are looked for between owners, so here an owner is the
     * unit of work that may hold several locks: the scope.
     */
    public void waitsFor(long holder) {
        write(Op.WAIT_BEGIN, Op.Phase.POINT, Op.Cause.NONE, 0, holder, 0);
    }

    /** This owner no longer waits for that one. */
    public void waitsNoLongerFor(long holder) {
        write(Op.WAIT_END, Op.Phase.POINT, Op.Cause.NONE, 0, holder, 0);
    }

    /** This owner was chosen to break a deadlock. */
    public void deadlockVictim() {
        write(Op.VICTIM, Op.Phase.POINT, Op.Cause.NONE, 0, 0, 0);
    }

    private static long place(int position, int size) {
        if (position < 0 || position >= size) {
            throw new IllegalArgumentException("Position " + position + " in a set of " + size + " keys.");
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
