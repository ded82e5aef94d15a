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
 * One lock as its row says, and the rules by which it is granted.
 *
 * <p>Pure: it knows neither connection nor clock. Whoever uses it has locked the row, and gives the database's time in microseconds.
 *
 * <p>Invariants: the number only grows; holders past their end do not count and are dropped on sight; holders never exclude each other; a
 * waiter that is granted leaves the queue in the same step.
 */
final class LockRow {
    /** One grant. During a lock-delay, between the two ends, nobody has it but the lock stays closed. */
    static final class Holder {
        final String owner;
        final long number;
        final LockMode mode;
        final int permits;
        final long since;
        final String label;
        long leaseEnd;
        long recordEnd;
        private boolean changed;

        Holder(
                String owner,
                long number,
                LockMode mode,
                int permits,
                long since,
                String label,
                long leaseEnd,
                long recordEnd) {
            this.owner = owner;
            this.number = number;
            this.mode = mode;
            this.permits = permits;
            this.since = since;
            this.label = label;
            this.leaseEnd = leaseEnd;
            this.recordEnd = recordEnd;
        }

        boolean isChanged() {
            return changed;
        }

        /** Never shortens: a renewal that was overtaken by a longer one changes nothing. */
        void extend(long now, long lease, long delay) {
            changed = true;
            leaseEnd = Math.max(leaseEnd, now + lease);
            recordEnd = Math.max(recordEnd, now + lease + delay);
        }

        /** Not over before this. */
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

    /** One place in the queue, and what its owner wants. */
    static final class Waiter {
        final String owner;
        final LockMode mode;
        final int permits;
        final int capacity;
        final long heardWithin;
        final long floor;
        final String listener;
        final String label;
        final long heardAt;

        Waiter(
                String owner,
                LockMode mode,
                int permits,
                int capacity,
                long heardWithin,
                long floor,
                String listener,
                String label,
                long heardAt) {
            this.owner = owner;
            this.mode = mode;
            this.permits = permits;
            this.capacity = capacity;
            this.heardWithin = heardWithin;
            this.floor = floor;
            this.listener = listener;
            this.label = label;
            this.heardAt = heardAt;
        }

        boolean isAlive(long now) {
            return now - heardAt <= heardWithin;
        }
    }

    /** A waiter that was granted its lock and must be told. */
    record HandOver(Waiter waiter, LockKey key, long number) {}

    final LockKey key;
    long number;
    /** One exclusive holder, or any number of others. */
    final List<Holder> holders = new ArrayList<>(1);
    /** Owners of those that were read from the table of those who hold it together. */
    final Set<String> readTogether = new LinkedHashSet<>();
    /** Those who wait, the first of them if there are more; by owner. */
    final Map<String, Waiter> queue = new LinkedHashMap<>();
    /** Whether more wait than those. */
    boolean more;
    /** Who left the queue since the row was read. */
    final Set<String> left = new LinkedHashSet<>();
    /** Who came, if anybody did. */
    @Nullable
    Waiter comer;

    long arrivals;

    /** Whether somebody waits alone, of whom this row knows nothing yet. Not once it is locked. */
    boolean hasHeir;

    long forced;
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

    boolean isCrowded() {
        return more || !queue.isEmpty() || (sole() == null && !holders.isEmpty());
    }

    /** Takes the lock for an attempt, now or not at all. */
    @Nullable
    Granted take(Claim claim, Attempt attempt, long now) {
        String owner = attempt.id().value();
        Holder mine = holder(owner);
        if (mine != null) {
            // A repeated attempt: the same grant, with what is really left of it. During a lock-delay that is nothing.
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
        // Above the clock too: a server that lost its last commits must not give out their numbers again.
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

    void enqueue(Claim claim, Attempt attempt, String listener, long now) {
        Waiter waiter = new Waiter(
                attempt.id().value(),
                claim.mode(),
                claim.permits(),
                claim.capacity(),
                Micros.of(attempt.heardWithin()),
                attempt.tokenFloor(),
                listener,
                attempt.label(),
                now);
        queue.putIfAbsent(waiter.owner, waiter);
        comer = waiter;
    }

    /** Ends somebody's wait, whether there was one or not. */
    void leave(String owner) {
        if (queue.remove(owner) != null || more) {
            left.add(owner);
        }
    }

    /** Drops what is past its end, and hands what became free to the waiters, first come first served. */
    List<HandOver> refresh(long now) {
        holders.removeIf(holder -> holder.recordEnd <= now);
        List<HandOver> handOvers = new ArrayList<>(0);
        for (Waiter next = firstAlive(now);
                next != null && admits(next.mode, next.permits, next.capacity) && holder(next.owner) == null;
                next = firstAlive(now)) {
            Holder holder = grant(next.owner, next.mode, next.permits, next.floor, next.label, now);
            holder.extend(now, next.heardWithin, 0);
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

    /** The first waiter that is alive; dead ones before it lose their places. */
    private @Nullable Waiter firstAlive(long now) {
        for (Iterator<Waiter> waiters = queue.values().iterator(); waiters.hasNext(); ) {
            Waiter waiter = waiters.next();
            if (waiter.isAlive(now)) {
                return waiter;
            }
            waiters.remove();
            left.add(waiter.owner);
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

    /** The grant with this owner and number, if it is still held. */
    @Nullable
    Holder holder(Grant grant, long now) {
        Holder holder = holder(grant.owner().value());
        return holder != null && holder.number == grant.number() && holder.isHeld(now) ? holder : null;
    }

    Granted granted(Holder holder, long now) {
        return new Granted(new Grant(key, OwnerId.parse(holder.owner), holder.number), holder.leaseLeft(now));
    }

    /** Extends a grant; null if it is gone. */
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
        if (grant.number() <= forced && now < forcedUntil) {
            return LossReason.FORCED;
        }
        boolean replaced = holders.stream().anyMatch(holder -> holder.number > grant.number());
        return replaced ? LossReason.REPLACED : LossReason.EXPIRED;
    }

    /** Whether there was such a grant; there is none afterwards. */
    boolean release(Grant grant, long now) {
        Holder holder = holder(grant, now);
        return holder != null && holders.remove(holder);
    }

    int forceRelease() {
        int count = holders.size();
        for (Holder holder : holders) {
            forced = Math.max(forced, holder.number);
            forcedUntil = Math.max(forcedUntil, holder.recordEnd);
        }
        holders.clear();
        return count;
    }

    /** Whether an exclusive holder has it that is not this one. */
    boolean isSomeoneElses(OwnerId id, long now) {
        Holder sole = sole();
        return sole != null && sole.recordEnd > now && !sole.owner.equals(id.value());
    }

    /** When the newest of the current grants was made. */
    long newest() {
        long newest = 0;
        for (Holder holder : holders) {
            newest = Math.max(newest, holder.since);
        }
        return newest;
    }

    /** How many wait ahead of this one. */
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

    /** When the first of the current holders' records ends. */
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
                    Micros.duration(Math.max(0, now - holder.since)),
                    holder.leaseLeft(now)));
        }
        return described;
    }

    /** Anybody may have written the row, and whoever waits wants to know of its holder, not to fail for it. */
    private static String shown(String owner) {
        try {
            return OwnerId.parse(owner).toString();
        } catch (IllegalArgumentException e) {
            return "an owner that is none of ours";
        }
    }
}
