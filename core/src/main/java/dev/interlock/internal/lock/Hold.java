package dev.interlock.internal.lock;

import dev.interlock.internal.time.Timetable;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.WaitForGraph.Held;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * What the store has granted to this process in one piece: one key, or several that are renewed and lost as one.
 *
 * <p>A hold lives from the first grant until it is released or lost, and meanwhile may serve several leases: it is passed on
 * from one local holder to the next, each with the next token of its grant. It never refers to a lease strongly, so a lease
 * that is dropped can be noticed.
 *
 * <p>Invariants: {@code validUntil} only moves later while the hold lives, and lies before the store's own end of the lease;
 * a hold that has passed it is lost for good; nothing is renewed once it has ended.
 *
 * <p>Rings when a renewal is due or the deadline has come. Thread-safe: the end is one compare-and-set.
 */
final class Hold extends Timetable.Entry {
    private enum Life {
        LIVE,
        RELEASED,
        LOST
    }

    /** An unanswered renewal is repeated so often within a lease. */
    private static final int RENEWAL_TRIES = 12;

    private static final AtomicReferenceFieldUpdater<Hold, Life> LIFE =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, Life.class, "life");

    private static final AtomicReferenceFieldUpdater<Hold, @Nullable Object> LEASES =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, Object.class, "leases");

    private static final AtomicIntegerFieldUpdater<Hold> USERS =
            AtomicIntegerFieldUpdater.newUpdater(Hold.class, "users");

    private final Engine engine;
    private volatile Life life = Life.LIVE;
    private volatile int users;

    /** One grant is kept in its parts, which are smaller than the whole: its key, the attempt of this engine, the number. */
    private volatile @Nullable LockKey key;

    private long attempt;
    private long number;

    /** Several grants, in key order; replaced as a whole by the request that is collecting them. */
    private volatile @Nullable List<Grant> several;

    /** {@link Few} claims, parallel to the grants; none if it is one exclusive key, whose claim says what the terms say. */
    private volatile @Nullable Object claims;

    private volatile Terms terms;
    private volatile long validUntil;
    private volatile boolean delivered;
    private volatile boolean abandoned;
    private volatile boolean unanswered;
    private volatile @Nullable LossReason lossReason;
    private volatile @Nullable Waiter collector;
    private volatile @Nullable Object leases; // few

    private volatile long heldSince;
    private volatile long suspendedBefore;
    private short pass;
    private short passesInARow;
    private long blockSince;

    Hold(Engine engine, Terms terms, Waiter collector, long nowNanos) {
        this.engine = engine;
        this.terms = terms;
        this.collector = collector;
        this.blockSince = nowNanos;
        this.heldSince = nowNanos;
        this.suspendedBefore = engine.suspendedNanos();
        this.validUntil = Long.MAX_VALUE;
    }

    // ---- collecting grants --------------------------------------------------------------------------------------

    /** Adds grants; only the request that collects them does so. */
    void add(List<Grant> newGrants, List<Claim> newClaims) {
        if (key == null && several == null && newGrants.size() == 1) {
            Grant only = newGrants.get(0);
            Claim claim = newClaims.get(0);
            claims = claim.mode() == LockMode.EXCLUSIVE ? null : claim;
            attempt = only.owner().attempt();
            number = only.number();
            key = only.key();
        } else {
            claims = Few.withAll(Few.withAll(null, claims()), newClaims);
            List<Grant> all = new ArrayList<>(grants());
            all.addAll(newGrants);
            several = all;
        }
    }

    /** What is left of the whole is what is left of its shortest part. */
    void limit(long newValidUntil) {
        validUntil = Math.min(validUntil, newValidUntil);
    }

    /** Keeps what has been collected alive, whatever the request says about renewal, until it is delivered. */
    void keepWhileCollecting(long nowNanos) {
        schedule(nowNanos);
    }

    /** The request is complete: from here on a lease stands for this hold. */
    void deliver(long nowNanos) {
        collector = null;
        heldSince = nowNanos;
        users = 1;
        delivered = true;
        schedule(nowNanos);
    }

    // ---- passing on ---------------------------------------------------------------------------------------------

    /** Whether the hold may be passed on once more, to this request; see the rules in {@link EngineSettings}. */
    boolean canPassTo(Waiter waiter, long nowNanos) {
        return passesInARow < EngineSettings.PASSES_IN_A_ROW
                && nowNanos - blockSince < EngineSettings.PASSING_NANOS
                && pass < FencingToken.MAX_PASS
                && fits(waiter, nowNanos);
    }

    /** Whether what is left of the hold keeps the promise made to this request. */
    boolean fits(Waiter waiter, long nowNanos) {
        return isLive()
                && isPlain()
                && !abandoned
                && terms.lockDelay().equals(waiter.terms().lockDelay())
                && waiter.terms().fitsInto(validUntil - nowNanos);
    }

    /** Passes the hold on: the next token of the grant, the new holder's terms, a new hold time. */
    void passTo(Waiter waiter, long nowNanos) {
        pass++;
        passesInARow++;
        suspendedBefore = engine.suspendedNanos();
        delivered = false;
        collector = waiter;
        terms = waiter.terms();
        heldSince = nowNanos;
        waiter.receive(this);
    }

    boolean wasPassed() {
        return pass > 0;
    }

    // ---- leases -------------------------------------------------------------------------------------------------

    /** One more lease stands for this hold; the first is added by whoever delivers it, further ones join one by one. */
    void serve(LeaseRef lease) {
        LEASES.updateAndGet(this, others -> Few.with(others, lease));
    }

    void dismiss(LeaseRef closed) {
        LEASES.updateAndGet(this, all -> Few.without(all, closed));
    }

    List<LeaseRef> leases() {
        return Few.list(leases);
    }

    /** Whether some lease stands for it; in the moment of closing the last one, none does any more. */
    boolean isInUse() {
        return users > 0 && isLive();
    }

    /** One more lease shares the hold, unless its last one has just been closed. */
    boolean join() {
        for (int now = users; now > 0; now = users) {
            if (USERS.compareAndSet(this, now, now + 1)) {
                return true;
            }
        }
        return false;
    }

    /** A lease is closed; true if it was the last one. */
    boolean partAndWasLast() {
        return USERS.decrementAndGet(this) == 0;
    }

    /** How often it has been passed on. */
    int pass() {
        return pass;
    }

    FencingToken tokenOf(int index) {
        return tokenOf(index, pass);
    }

    FencingToken tokenOf(int index, int ofPass) {
        return FencingToken.of(several == null ? number : grant(index).number(), ofPass);
    }

    // ---- time ---------------------------------------------------------------------------------------------------

    boolean isLive() {
        return life == Life.LIVE;
    }

    boolean isLost() {
        return life == Life.LOST;
    }

    boolean isValid(long nowNanos) {
        return isLive() && nowNanos < validUntil;
    }

    long remainingNanos(long nowNanos) {
        return isLive() ? Math.max(0, validUntil - nowNanos) : 0;
    }

    /** The renewals that keep all of it, for at least the given lease. */
    List<Renewal> renewals(Duration lease) {
        Duration lockDelay = terms.lockDelay();
        List<Grant> current = grants();
        List<Renewal> renewals = new ArrayList<>(current.size());
        for (Grant grant : current) {
            renewals.add(new Renewal(grant, lease, lockDelay));
        }
        return renewals;
    }

    /** How long the next renewal is to last: the lease, but not past the maximum hold time. */
    Duration renewalLease(long nowNanos) {
        return withinMaximum(terms.leaseFor(), nowNanos);
    }

    Duration withinMaximum(Duration wanted, long nowNanos) {
        if (!delivered || terms.holdAtMostNanos() == Long.MAX_VALUE) {
            return wanted;
        }
        long left = heldSince + terms.holdAtMostNanos() - nowNanos;
        return left >= wanted.toNanos() ? wanted : Duration.ofNanos(Math.max(1, left));
    }

    /**
     * So many of its grants were extended. Too late counts as lost: never take a loss back. If a grant was added meanwhile, the
     * extension does not speak for that one, and the whole is valid no longer than its shortest part.
     */
    void extended(int grantsExtended, long newValidUntil, long nowNanos) {
        unanswered = false;
        if (grantsExtended != size()) {
            schedule(nowNanos);
            return;
        }
        if (nowNanos >= validUntil) {
            expireNow();
            return;
        }
        if (newValidUntil > validUntil) {
            validUntil = newValidUntil;
            suspendedBefore = engine.suspendedNanos();
        }
        schedule(nowNanos);
    }

    /** Replaces the deadline when a first renewal confirms grants whose own lease was only provisional. */
    void confirmed(long newValidUntil, long nowNanos) {
        validUntil = newValidUntil;
        blockSince = nowNanos;
        passesInARow = 0;
    }

    void renewalUnanswered() {
        unanswered = true;
    }

    @Override
    protected void ring(long nowNanos) {
        if (!isLive()) {
            return;
        }
        if (nowNanos >= validUntil) {
            lose(reasonForExpiry());
            return;
        }
        if (!wantsRenewal()) {
            setDue(validUntil);
            return;
        }
        engine.watchdog().renewLater(this);
        // Until an answer moves the deadline, ask again: one failed renewal never ends renewal. Sooner if little is
        // left.
        long pause = Math.min(terms.leaseNanos(), 2 * (validUntil - nowNanos)) / RENEWAL_TRIES;
        setDue(Math.min(nowNanos + Math.max(pause, 1_000_000), validUntil));
    }

    private void schedule(long nowNanos) {
        long due = validUntil;
        if (wantsRenewal()) {
            long every = terms.renews() ? terms.renewEveryNanos() : terms.leaseNanos() / 3;
            // A lease that is shorter than usual, since it was only just handed to us, is renewed sooner.
            long latest = Math.min(every, (validUntil - nowNanos) / 2);
            // On a grid, so that leases of about the same age are renewed in one batch.
            long grid = latest > every / 8 ? Math.max(1, every / 8) : 1;
            due = Math.min(due, Math.max(nowNanos + 1, (nowNanos + latest) / grid * grid));
        }
        setDue(due);
    }

    /**
     * It was handed to us with at least half a second left, and is given its full length in a moment: mostly it is released by then, and
     * the store is spared a call just when the lock is passed around.
     */
    void extendSoon(long nowNanos) {
        if (mayRenew()) {
            setDue(Math.min(nowNanos + EngineSettings.EXTEND_SOON_NANOS, validUntil));
        }
    }

    private void setDue(long dueNanos) {
        if (isLive()) {
            engine.timetable().set(this, dueNanos);
            if (!isLive()) {
                // It ended in between, and its cancel may have come before the set.
                engine.timetable().cancel(this);
            }
        }
    }

    private boolean wantsRenewal() {
        if (abandoned) {
            return false;
        }
        if (!delivered) {
            return true;
        }
        // A maximum hold time is reached by a last, shorter renewal; what is lacking then is only drift and margin.
        long lacking = (long) (terms.leaseNanos() * EngineSettings.DRIFT) + 2 * EngineSettings.MARGIN_NANOS;
        return terms.renews()
                && (terms.holdAtMostNanos() == Long.MAX_VALUE
                        || validUntil + lacking < heldSince + terms.holdAtMostNanos());
    }

    boolean mayRenew() {
        return isLive() && !abandoned;
    }

    private LossReason reasonForExpiry() {
        if (abandoned) {
            return LossReason.ABANDONED;
        }
        engine.noticeSuspend();
        if (engine.suspendedNanos() > suspendedBefore) {
            return LossReason.SUSPENDED; // a renewal since then would have moved the mark
        }
        if (unanswered) {
            return LossReason.STORE_UNREACHABLE;
        }
        // If at most one renewal was lacking, it would have been the last one.
        boolean tooLong = terms.holdAtMostNanos() != Long.MAX_VALUE
                && terms.renews()
                && engine.now() + terms.leaseNanos() >= heldSince + terms.holdAtMostNanos();
        return tooLong ? LossReason.HELD_TOO_LONG : LossReason.EXPIRED;
    }

    // ---- the end ------------------------------------------------------------------------------------------------

    /** The holder is done with it; true if this call ended it. */
    boolean release() {
        return end(Life.RELEASED);
    }

    /** Remembers why, for whoever asks; the first reason counts. */
    void noteLoss(LossReason reason) {
        if (lossReason == null) {
            lossReason = reason;
        }
    }

    /** It is gone; the first to say so tells everyone. */
    void lose(LossReason reason) {
        noteLoss(reason);
        if (end(Life.LOST)) {
            engine.lost(this);
        }
    }

    /** The deadline has passed, and somebody noticed before the deadline thread did. */
    void expireNow() {
        lose(reasonForExpiry());
    }

    /** The store says that it is gone. If our own deadline has passed too, that is why: the answer was only faster than the deadline thread. */
    void gone(LossReason told, long nowNanos) {
        if (told == LossReason.EXPIRED && nowNanos >= validUntil) {
            expireNow();
        } else {
            lose(told);
        }
    }

    private boolean end(Life how) {
        if (!LIFE.compareAndSet(this, Life.LIVE, how)) {
            return false;
        }
        engine.timetable().cancel(this);
        return true;
    }

    /** The lease object was dropped: let the hold run out. */
    void abandon() {
        abandoned = true;
    }

    LossReason lossReason() {
        LossReason reason = lossReason;
        return reason == null ? LossReason.EXPIRED : reason;
    }

    // ---- facts --------------------------------------------------------------------------------------------------

    Engine engine() {
        return engine;
    }

    /** How many keys it holds. */
    int size() {
        List<Grant> all = several;
        return all != null ? all.size() : key == null ? 0 : 1;
    }

    Grant grant(int index) {
        List<Grant> all = several;
        return all != null ? all.get(index) : new Grant(Objects.requireNonNull(key), engine.owner(attempt), number);
    }

    List<Grant> grants() {
        List<Grant> all = several;
        return all != null ? all : key == null ? List.of() : List.of(grant(0));
    }

    /** One exclusive key. */
    private boolean isPlain() {
        return claims == null;
    }

    LockMode mode(int index) {
        return isPlain() ? LockMode.EXCLUSIVE : claims().get(index).mode();
    }

    List<Claim> claims() {
        Object kept = claims;
        LockKey only = key;
        if (kept != null || only == null) {
            return Few.list(kept);
        }
        return List.of(new Claim(only, LockMode.EXCLUSIVE, 1, 1, terms.leaseFor(), terms.lockDelay()));
    }

    Terms terms() {
        return terms;
    }

    long heldNanos(long nowNanos) {
        return Math.max(0, nowNanos - heldSince);
    }

    @Nullable
    Waiter collector() {
        return collector;
    }

    /** How it holds this key. */
    Claim claimOn(LockKey key) {
        return claims().get(several == null ? 0 : indexOf(key));
    }

    /** By what right it holds this key. */
    Held rightOn(LockKey key) {
        int index = several == null ? 0 : indexOf(key);
        return new Held(key, mode(index), tokenOf(index));
    }

    int indexOf(LockKey key) {
        List<Claim> all = claims();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).key().equals(key)) {
                return i;
            }
        }
        return -1;
    }

    List<LockKey> keys() {
        List<Grant> all = grants();
        List<LockKey> keys = new ArrayList<>(all.size());
        for (Grant grant : all) {
            keys.add(grant.key());
        }
        return keys;
    }
}
