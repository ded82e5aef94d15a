package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.Timetable;
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
 * What the store granted to one request: one key, or several keys that are renewed and lost together.
 *
 * <p>A hold lives from its first grant until it is released or lost. In between it can serve several leases: it is
 * passed from one local holder to the next, each with the next token of its grant. It refers to leases only weakly,
 * so that a dropped lease is detected. The class is long because the life of a hold is one idea: its grants, its
 * deadline and its end must be read together.
 *
 * <p>Invariants: while the hold lives, {@code validUntil} only moves later and is earlier than the end of the lease
 * in the store; a hold past {@code validUntil} is lost for good; a hold that has ended is never renewed.
 *
 * <p>Rings when a renewal is due or at its deadline. Thread-safe: the end is one compare-and-set.
 */
final class Hold extends Timetable.Entry {
    private enum Life {
        LIVE,
        RELEASED,
        LOST
    }

    /** How many times an unanswered renewal is repeated within one lease. */
    private static final int RENEWAL_TRIES = 12;

    private static final AtomicReferenceFieldUpdater<Hold, Life> LIFE =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, Life.class, "life");

    private static final AtomicReferenceFieldUpdater<Hold, @Nullable Object> LEASES =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, Object.class, "leases");

    private static final AtomicIntegerFieldUpdater<Hold> USERS =
            AtomicIntegerFieldUpdater.newUpdater(Hold.class, "users");

    private final HoldServices services;
    private volatile Life life = Life.LIVE;
    private volatile int users;

    /** A single grant is stored in parts to save memory: its key, the attempt of this engine, and its number. */
    private volatile @Nullable LockKey key;

    private long attempt;
    private long number;

    /** Several grants in key order. The request that collects them replaces the whole list. */
    private volatile @Nullable List<Grant> several;

    /**
     * Claims as {@link OneOrMany}, parallel to the grants. Null for one exclusive key, whose claim follows from the
     * settings.
     */
    private volatile @Nullable Object claims;

    private volatile ResolvedSettings settings;
    private volatile long validUntil;
    private volatile boolean delivered;
    private volatile boolean abandoned;
    private volatile boolean unanswered;
    private volatile @Nullable LossReason lossReason;
    private volatile @Nullable Collector collector;
    private volatile @Nullable Object leases; // OneOrMany

    private volatile long heldSince;
    private volatile long suspendedBefore;
    private short pass;
    private short passesInARow;
    private long blockSince;

    Hold(HoldServices services, ResolvedSettings settings, Collector collector, long nowNanos) {
        this.services = services;
        this.settings = settings;
        this.collector = collector;
        this.blockSince = nowNanos;
        this.heldSince = nowNanos;
        this.suspendedBefore = services.runtime().suspendedNanos();
        this.validUntil = Long.MAX_VALUE;
    }

    // ---- collecting grants --------------------------------------------------------------------------------------

    /** Adds grants. Only the request that collects them calls this. */
    void add(List<Grant> newGrants, List<Claim> newClaims) {
        if (key == null && several == null && newGrants.size() == 1) {
            Grant only = newGrants.get(0);
            Claim claim = newClaims.get(0);
            claims = claim.mode() == LockMode.EXCLUSIVE ? null : claim;
            attempt = only.owner().attempt();
            number = only.number();
            key = only.key();
        } else {
            claims = OneOrMany.withAll(OneOrMany.withAll(null, claims()), newClaims);
            List<Grant> all = new ArrayList<>(grants());
            all.addAll(newGrants);
            several = all;
        }
    }

    /** The hold is valid only as long as its shortest grant. */
    void limit(long newValidUntil) {
        validUntil = Math.min(validUntil, newValidUntil);
    }

    /** Renews the grants until the hold is delivered, even if the request asked for no renewal. */
    void keepWhileCollecting(long nowNanos) {
        schedule(nowNanos);
    }

    /** The request is complete. From now on the hold has a lease. */
    void deliver(long nowNanos) {
        collector = null;
        heldSince = nowNanos;
        users = 1;
        delivered = true;
        schedule(nowNanos);
    }

    // ---- passing on ---------------------------------------------------------------------------------------------

    /** Whether the hold may be passed on once more, to this request. The limits are in {@link Protocol}. */
    boolean canPassTo(Collector request, long nowNanos) {
        return passesInARow < Protocol.MAX_PASSES_IN_A_ROW
                && nowNanos - blockSince < Protocol.MAX_PASSING_NANOS
                && pass < FencingToken.MAX_PASS
                && fits(request, nowNanos);
    }

    /** Whether enough is left of the hold for the settings of this request. */
    boolean fits(Collector request, long nowNanos) {
        return isLive()
                && isPlain()
                && !abandoned
                && settings.lockDelay().equals(request.settings().lockDelay())
                && request.settings().fitsInto(validUntil - nowNanos);
    }

    /** Passes the hold on, with the next token of its grant, the settings of the new holder and a new hold time. */
    void passTo(Collector request, long nowNanos) {
        pass++;
        passesInARow++;
        suspendedBefore = services.runtime().suspendedNanos();
        delivered = false;
        collector = request;
        settings = request.settings();
        heldSince = nowNanos;
        request.receive(this);
    }

    boolean wasPassed() {
        return pass > 0;
    }

    // ---- leases -------------------------------------------------------------------------------------------------

    /** Adds a lease to this hold: the first when the hold is delivered, further ones when they join. */
    void add(LeaseRef lease) {
        LEASES.updateAndGet(this, others -> OneOrMany.with(others, lease));
    }

    void remove(LeaseRef closed) {
        LEASES.updateAndGet(this, all -> OneOrMany.without(all, closed));
    }

    List<LeaseRef> leases() {
        return OneOrMany.list(leases);
    }

    /** Whether the hold has an open lease. It has none from the moment its last lease is closed. */
    boolean isInUse() {
        return users > 0 && isLive();
    }

    /** Adds a user to the hold; false if its last lease has just been closed. */
    boolean join() {
        for (int now = users; now > 0; now = users) {
            if (USERS.compareAndSet(this, now, now + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Removes a user of the hold; true if it was the last one. */
    boolean leaveAndWasLast() {
        return USERS.decrementAndGet(this) == 0;
    }

    /** How many times it has been passed on. */
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

    /** The renewals that extend all its grants by the given lease. */
    List<Renewal> renewals(Duration lease) {
        Duration lockDelay = settings.lockDelay();
        List<Grant> current = grants();
        List<Renewal> renewals = new ArrayList<>(current.size());
        for (Grant grant : current) {
            renewals.add(new Renewal(grant, lease, lockDelay));
        }
        return renewals;
    }

    /** The lease of the next renewal, which does not go past the maximum hold. */
    Duration renewalLease(long nowNanos) {
        return withinMaximum(settings.leaseFor(), nowNanos);
    }

    Duration withinMaximum(Duration wanted, long nowNanos) {
        if (!delivered || settings.holdAtMostNanos() == Long.MAX_VALUE) {
            return wanted;
        }
        long left = heldSince + settings.holdAtMostNanos() - nowNanos;
        return left >= wanted.toNanos() ? wanted : Duration.ofNanos(Math.max(1, left));
    }

    /**
     * The store extended this many of its grants. An extension that arrives after the deadline counts as a loss: a
     * loss is never taken back. If a grant was added in the meantime, the extension does not cover it, and the
     * deadline stays.
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
            suspendedBefore = services.runtime().suspendedNanos();
        }
        schedule(nowNanos);
    }

    /** Replaces the deadline when the first renewal confirms a provisional lease. */
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
        services.renewLater(this);
        // Repeat until an answer moves the deadline: one failed renewal never ends renewal. Sooner if little time is
        // left.
        long pause = Math.min(settings.leaseNanos(), 2 * (validUntil - nowNanos)) / RENEWAL_TRIES;
        setDue(Math.min(nowNanos + Math.max(pause, 1_000_000), validUntil));
    }

    private void schedule(long nowNanos) {
        long due = validUntil;
        if (wantsRenewal()) {
            long every = settings.renews() ? settings.renewEveryNanos() : settings.leaseNanos() / 3;
            // A provisional lease is shorter than usual and is renewed sooner.
            long latest = Math.min(every, (validUntil - nowNanos) / 2);
            // Rounded to a grid, so that leases of about the same age are renewed in one batch.
            long grid = latest > every / 8 ? Math.max(1, every / 8) : 1;
            due = Math.min(due, Math.max(nowNanos + 1, (nowNanos + latest) / grid * grid));
        }
        setDue(due);
    }

    /**
     * Schedules the first renewal of a provisional lease that was delivered unconfirmed. Most such leases are released
     * before it is due, which saves the store a call while the lock changes hands quickly.
     */
    void extendSoon(long nowNanos) {
        if (mayRenew()) {
            setDue(Math.min(nowNanos + Protocol.EXTEND_SOON_NANOS, validUntil));
        }
    }

    private void setDue(long dueNanos) {
        if (isLive()) {
            timetable().set(this, dueNanos);
            if (!isLive()) {
                // It may have ended just before, and its cancel may have come before the set.
                timetable().cancel(this);
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
        // The last, shorter renewal reaches the maximum hold except for drift and margin.
        long missing = (long) (settings.leaseNanos() * Protocol.DRIFT) + 2 * Protocol.MARGIN_NANOS;
        return settings.renews()
                && (settings.holdAtMostNanos() == Long.MAX_VALUE
                        || validUntil + missing < heldSince + settings.holdAtMostNanos());
    }

    boolean mayRenew() {
        return isLive() && !abandoned;
    }

    private LossReason reasonForExpiry() {
        if (abandoned) {
            return LossReason.ABANDONED;
        }
        services.runtime().noticeSuspend();
        if (services.runtime().suspendedNanos() > suspendedBefore) {
            return LossReason.SUSPENDED; // a renewal after the suspend would have updated suspendedBefore
        }
        if (unanswered) {
            return LossReason.STORE_UNREACHABLE;
        }
        // If at most one renewal is missing, it would have been the last one.
        boolean tooLong = settings.holdAtMostNanos() != Long.MAX_VALUE
                && settings.renews()
                && services.runtime().now() + settings.leaseNanos() >= heldSince + settings.holdAtMostNanos();
        return tooLong ? LossReason.HELD_TOO_LONG : LossReason.EXPIRED;
    }

    // ---- the end ------------------------------------------------------------------------------------------------

    /** Ends the hold for its holder; true if this call ended it. */
    boolean release() {
        return end(Life.RELEASED);
    }

    /** Sets the reason of a loss. The first reason counts. */
    void setLossReason(LossReason reason) {
        if (lossReason == null) {
            lossReason = reason;
        }
    }

    /** Ends the hold as lost. The first call notifies the holders. */
    void lose(LossReason reason) {
        setLossReason(reason);
        if (end(Life.LOST)) {
            services.lost(this);
        }
    }

    /** The deadline has passed, and another thread noticed it before the deadline thread. */
    void expireNow() {
        lose(reasonForExpiry());
    }

    /**
     * The store reported the grant as gone. If the deadline has passed as well, the hold expired and the deadline
     * thread is late.
     */
    void gone(LossReason reason, long nowNanos) {
        if (reason == LossReason.EXPIRED && nowNanos >= validUntil) {
            expireNow();
        } else {
            lose(reason);
        }
    }

    private boolean end(Life how) {
        if (!LIFE.compareAndSet(this, Life.LIVE, how)) {
            return false;
        }
        timetable().cancel(this);
        return true;
    }

    /** The lease object was dropped: the hold is no longer renewed and expires. */
    void abandon() {
        abandoned = true;
    }

    LossReason lossReason() {
        LossReason reason = lossReason;
        return reason == null ? LossReason.EXPIRED : reason;
    }

    // ---- facts --------------------------------------------------------------------------------------------------

    HoldServices services() {
        return services;
    }

    private Timetable timetable() {
        return services.runtime().timetable();
    }

    /** How many keys it holds. */
    int size() {
        List<Grant> all = several;
        return all != null ? all.size() : key == null ? 0 : 1;
    }

    Grant grant(int index) {
        List<Grant> all = several;
        return all != null ? all.get(index) : new Grant(Objects.requireNonNull(key), services.owner(attempt), number);
    }

    List<Grant> grants() {
        List<Grant> all = several;
        return all != null ? all : key == null ? List.of() : List.of(grant(0));
    }

    /** Whether it consists of one exclusive key. */
    private boolean isPlain() {
        return claims == null;
    }

    LockMode mode(int index) {
        return isPlain() ? LockMode.EXCLUSIVE : claims().get(index).mode();
    }

    List<Claim> claims() {
        Object stored = claims;
        LockKey only = key;
        if (stored != null || only == null) {
            return OneOrMany.list(stored);
        }
        return List.of(new Claim(only, LockMode.EXCLUSIVE, 1, 1, settings.leaseFor(), settings.lockDelay()));
    }

    ResolvedSettings settings() {
        return settings;
    }

    long heldNanos(long nowNanos) {
        return Math.max(0, nowNanos - heldSince);
    }

    @Nullable
    Collector collector() {
        return collector;
    }

    /** The claim by which it holds this key. */
    Claim claimOn(LockKey key) {
        return claims().get(several == null ? 0 : indexOf(key));
    }

    /** Key, mode and token, for wait reports. */
    Held heldOn(LockKey key) {
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
