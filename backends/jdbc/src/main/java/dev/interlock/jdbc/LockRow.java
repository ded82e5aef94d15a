package dev.interlock.jdbc;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One lock as its rows describe it, and the rules by which it is granted.
 *
 * <p>Has neither connection nor clock. The caller has locked the lock's row and passes the database's time in
 * microseconds.
 *
 * <p>Invariants: the number only grows; an expired holder is dropped before anything is decided; holders never exclude
 * each other; a waiter that is granted the lock leaves the queue in the same step.
 */
final class LockRow {
    /**
     * One grant. Between {@code leaseEnd} and {@code recordEnd} it has no holder but keeps the lock closed: the
     * lock-delay.
     */
    static final class Holder {
        final String owner;
        final long number;
        final LockMode mode;
        final int permits;
        final long grantedAt;
        final String label;
        long leaseEnd;
        long recordEnd;
        private boolean changed;

        Holder(
                String owner,
                long number,
                LockMode mode,
                int permits,
                long grantedAt,
                String label,
                long leaseEnd,
                long recordEnd) {
            this.owner = owner;
            this.number = number;
            this.mode = mode;
            this.permits = permits;
            this.grantedAt = grantedAt;
            this.label = label;
            this.leaseEnd = leaseEnd;
            this.recordEnd = recordEnd;
        }

        boolean isChanged() {
            return changed;
        }

        /** Never shortens: a late renewal does not undo a longer one. */
        void extend(long now, long lease, long delay) {
            changed = true;
            leaseEnd = Math.max(leaseEnd, now + lease);
            recordEnd = Math.max(recordEnd, now + lease + delay);
        }

        /** Ensures that the lease does not end before this time. */
        void lastsUntil(long end) {
            leaseEnd = Math.max(leaseEnd, end);
            recordEnd = Math.max(recordEnd, end);
        }

        boolean isHeld(long now) {
            return leaseEnd > now;
        }

        Duration leaseLeft(long now) {
            return Micros.duration(Math.max(0, leaseEnd - now));
        }
    }

    /** One queue place and the request that has it. */
    static final class Waiter {
        final String owner;
        final LockMode mode;
        final int permits;
        final int capacity;
        final long heartbeatWithin;
        final long floor;
        final String channel;
        final String label;
        final long heartbeatAt;

        Waiter(
                String owner,
                LockMode mode,
                int permits,
                int capacity,
                long heartbeatWithin,
                long floor,
                String channel,
                String label,
                long heartbeatAt) {
            this.owner = owner;
            this.mode = mode;
            this.permits = permits;
            this.capacity = capacity;
            this.heartbeatWithin = heartbeatWithin;
            this.floor = floor;
            this.channel = channel;
            this.label = label;
            this.heartbeatAt = heartbeatAt;
        }

        boolean isAlive(long now) {
            return now - heartbeatAt <= heartbeatWithin;
        }
    }

    /** A grant of which the waiter must be notified. */
    record HandOver(Waiter waiter, LockKey key, long number) {}

    final LockKey key;
    long number;
    /** One exclusive holder, or any number of shared or permit holders. */
    final List<Holder> holders = new ArrayList<>(1);
    /** Owners of the holders that have rows in the holder table. */
    final Set<String> storedHolders = new LinkedHashSet<>();
    /** The first waiters, by owner, in the order of their places. */
    final Map<String, Waiter> queue = new LinkedHashMap<>();
    /** Whether the waiter table may have rows that are not in {@link #queue}. */
    boolean hasMoreWaiters;
    /** Owners that left the queue since the row was read. */
    final Set<String> departed = new LinkedHashSet<>();
    /** The waiter that this step adds, if any. */
    @Nullable
    Waiter arrival;

    long lastPlace;
    long forcedNumber;
    long forcedUntil;

    LockRow(LockKey key, long number) {
        this.key = key;
        this.number = number;
    }

    /** The exclusive holder. */
    @Nullable
    Holder sole() {
        return holders.size() == 1 && holders.get(0).mode == LockMode.EXCLUSIVE ? holders.get(0) : null;
    }

    /** Whether the lock has rows in the holder or waiter table. */
    boolean isQueued() {
        return hasMoreWaiters || !queue.isEmpty() || (sole() == null && !holders.isEmpty());
    }

    /** Grants the lock to an attempt; null if it is not free or another waiter is first. */
    @Nullable
    Granted take(Claim claim, Attempt attempt, long now) {
        String owner = attempt.id().value();
        Holder mine = holder(owner);
        if (mine != null) {
            // A repeated attempt gets its grant again, with the remaining lease. During a lock-delay nothing remains.
            return mine.isHeld(now) ? granted(mine, now) : null;
        }
        Waiter first = firstAlive(now);
        if (!admits(claim.mode(), claim.permits(), claim.capacity()) || (first != null && !first.owner.equals(owner))) {
            return null;
        }
        leave(owner);
        Holder holder = grant(owner, claim.mode(), claim.permits(), attempt.tokenFloor(), attempt.label(), now);
        holder.extend(now, Micros.of(claim.lease()), Micros.of(claim.lockDelay()));
        return new Granted(new Grant(key, attempt.id(), holder.number), claim.lease());
    }

    private Holder grant(String owner, LockMode mode, int permits, long floor, String label, long now) {
        // Above the clock too: a server that lost its last commits must not issue their numbers again.
        long last = Math.max(Math.max(number, floor), now);
        if (last >= FencingToken.MAX_GRANT) {
            throw StoreException.refused(
                    "Grant numbers of \"" + key + "\" are used up: one more than " + last + " is more than 53 bits");
        }
        long next = last + 1;
        number = next;
        Holder holder = new Holder(owner, next, mode, permits, now, label, 0, 0);
        holders.add(holder);
        return holder;
    }

    void enqueue(Claim claim, Attempt attempt, String channel, long now) {
        Waiter waiter = new Waiter(
                attempt.id().value(),
                claim.mode(),
                claim.permits(),
                claim.capacity(),
                Micros.of(attempt.heartbeatWithin()),
                attempt.tokenFloor(),
                channel,
                attempt.label(),
                now);
        queue.putIfAbsent(waiter.owner, waiter);
        arrival = waiter;
    }

    /** Ends the wait of an owner if it has one. */
    void leave(String owner) {
        if (queue.remove(owner) != null || hasMoreWaiters) {
            departed.add(owner);
        }
    }

    /** Drops expired holders and grants the lock to waiters, first come first served. */
    List<HandOver> refresh(long now) {
        holders.removeIf(holder -> holder.recordEnd <= now);
        List<HandOver> handOvers = new ArrayList<>(0);
        for (Waiter next = firstAlive(now);
                next != null && admits(next.mode, next.permits, next.capacity) && holder(next.owner) == null;
                next = firstAlive(now)) {
            Holder holder = grant(next.owner, next.mode, next.permits, next.floor, next.label, now);
            holder.extend(now, next.heartbeatWithin, 0);
            leave(next.owner);
            handOvers.add(new HandOver(next, key, holder.number));
        }
        return handOvers;
    }

    private boolean admits(LockMode mode, int permits, int capacity) {
        if (holders.isEmpty()) {
            return true;
        }
        long taken = 0;
        for (Holder holder : holders) {
            if (mode == LockMode.EXCLUSIVE || holder.mode != mode) {
                return false;
            }
            taken += holder.permits;
        }
        return mode == LockMode.SHARED || taken + permits <= capacity;
    }

    /**
     * Returns the first live waiter. Dead waiters before it are skipped, and their rows are left to the next step:
     * another transaction may have locked them.
     */
    private @Nullable Waiter firstAlive(long now) {
        for (Iterator<Waiter> waiters = queue.values().iterator(); waiters.hasNext(); ) {
            Waiter waiter = waiters.next();
            if (waiter.isAlive(now)) {
                return waiter;
            }
            waiters.remove();
            hasMoreWaiters = true;
        }
        return null;
    }

    @Nullable
    Holder holder(String owner) {
        for (Holder holder : holders) {
            if (holder.owner.equals(owner)) {
                return holder;
            }
        }
        return null;
    }

    /** Returns the holder of this very grant, or null if it is not held any more. */
    @Nullable
    Holder holder(Grant grant, long now) {
        Holder holder = holder(grant.owner().value());
        return holder != null && holder.number == grant.number() && holder.isHeld(now) ? holder : null;
    }

    Granted granted(Holder holder, long now) {
        return new Granted(new Grant(key, OwnerId.parse(holder.owner), holder.number), holder.leaseLeft(now));
    }

    /** Extends a grant and returns its remaining lease; null if it is gone. */
    @Nullable
    Duration renew(Renewal renewal, long now) {
        Holder holder = holder(renewal.grant(), now);
        if (holder == null) {
            return null;
        }
        holder.extend(now, Micros.of(renewal.lease()), Micros.of(renewal.lockDelay()));
        return holder.leaseLeft(now);
    }

    LossReason whyGone(Grant grant, long now) {
        if (grant.number() <= forcedNumber && now < forcedUntil) {
            return LossReason.FORCED;
        }
        boolean replaced = holders.stream().anyMatch(holder -> holder.number > grant.number());
        return replaced ? LossReason.REPLACED : LossReason.EXPIRED;
    }

    /** Ends a grant. Returns false if it was not held. */
    boolean release(Grant grant, long now) {
        Holder holder = holder(grant, now);
        return holder != null && holders.remove(holder);
    }

    int forceRelease() {
        int count = holders.size();
        for (Holder holder : holders) {
            forcedNumber = Math.max(forcedNumber, holder.number);
            forcedUntil = Math.max(forcedUntil, holder.recordEnd);
        }
        holders.clear();
        return count;
    }

    /** Whether an exclusive holder other than this one has the lock. */
    boolean isHeldByOther(OwnerId id, long now) {
        Holder sole = sole();
        return sole != null && sole.recordEnd > now && !sole.owner.equals(id.value());
    }

    /** Time of the newest of the current grants. */
    long newestGrant() {
        long newest = 0;
        for (Holder holder : holders) {
            newest = Math.max(newest, holder.grantedAt);
        }
        return newest;
    }

    /** Number of waiters ahead of this one. */
    long ahead(String owner) {
        long ahead = 0;
        for (String waiter : queue.keySet()) {
            if (waiter.equals(owner)) {
                return ahead;
            }
            ahead++;
        }
        return ahead;
    }

    /** Time until the first of the current holders' records ends. */
    Duration firstEnd(long now) {
        long first = Long.MAX_VALUE / 1_000;
        for (Holder holder : holders) {
            first = Math.min(first, Math.max(0, holder.recordEnd - now));
        }
        return Micros.duration(first);
    }

    List<LockSnapshot.Holder> describe(long now) {
        List<LockSnapshot.Holder> described = new ArrayList<>(holders.size());
        for (Holder holder : holders) {
            described.add(new LockSnapshot.Holder(
                    holder.label,
                    shown(holder.owner),
                    holder.mode,
                    holder.permits,
                    holder.number,
                    Micros.duration(Math.max(0, now - holder.grantedAt)),
                    holder.leaseLeft(now)));
        }
        return described;
    }

    /** Any client may have written the row. A waiter wants a description of the holder, not an exception. */
    private static String shown(String owner) {
        try {
            return OwnerId.parse(owner).toString();
        } catch (IllegalArgumentException e) {
            return "an unknown owner";
        }
    }
}
