package dev.interlock.memory;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The holders of one key, and its waiters in the order of arrival.
 *
 * <p>Guarded by the mutex of its {@link LockTable}. An expired holder does not count; the next call that finds it
 * removes it.
 */
final class LockRecord {
    /** A grant that has not expired. During a lock-delay, the record exists although the lease has ended. */
    static final class Holder {
        final Grant grant;
        final Claim claim;
        final String label;
        final long sinceNanos;
        long leaseEndNanos;
        long recordEndNanos;

        Holder(Grant grant, Claim claim, String label, long nowNanos) {
            this.grant = grant;
            this.claim = claim;
            this.label = label;
            this.sinceNanos = nowNanos;
        }

        /** Extends the lease, never shortens it: a renewal that arrives after a longer one changes nothing. */
        void extend(long nowNanos, Duration lease, Duration lockDelay) {
            leaseEndNanos = Math.max(leaseEndNanos, nowNanos + lease.toNanos());
            recordEndNanos = Math.max(recordEndNanos, nowNanos + lease.toNanos() + lockDelay.toNanos());
        }

        /**
         * Returns whether the owner still holds the lock. During a lock-delay, the lock is closed but has no owner.
         */
        boolean isHeld(long nowNanos) {
            return leaseEndNanos - nowNanos > 0;
        }

        Duration leaseLeft(long nowNanos) {
            return Duration.ofNanos(Math.max(0, leaseEndNanos - nowNanos));
        }
    }

    /** One queue place. */
    static final class Place {
        final OwnerId id;
        final Claim claim;
        final String label;
        final Duration heartbeatWithin;
        final long tokenFloor;
        final StoreListener listener;
        long heartbeatAtNanos;

        Place(
                OwnerId id,
                Claim claim,
                String label,
                Duration heartbeatWithin,
                long tokenFloor,
                StoreListener listener) {
            this.id = id;
            this.claim = claim;
            this.label = label;
            this.heartbeatWithin = heartbeatWithin;
            this.tokenFloor = tokenFloor;
            this.listener = listener;
        }

        boolean isAlive(long nowNanos) {
            return nowNanos - heartbeatAtNanos <= heartbeatWithin.toNanos();
        }
    }

    final LockKey key;
    final List<Holder> holders = new ArrayList<>(1);
    private @Nullable Map<OwnerId, Place> queue;

    LockRecord(LockKey key) {
        this.key = key;
    }

    void dropExpired(long nowNanos) {
        if (!holders.isEmpty()) {
            holders.removeIf(holder -> holder.recordEndNanos - nowNanos <= 0);
        }
    }

    @Nullable
    Holder holder(OwnerId owner) {
        for (Holder holder : holders) {
            if (holder.grant.owner().equals(owner)) {
                return holder;
            }
        }
        return null;
    }

    @Nullable
    Holder holder(Grant grant, long nowNanos) {
        Holder holder = holder(grant.owner());
        return holder != null && holder.grant.number() == grant.number() && holder.isHeld(nowNanos) ? holder : null;
    }

    boolean admits(Claim claim) {
        if (holders.isEmpty()) {
            return true;
        }
        if (claim.mode() == LockMode.EXCLUSIVE) {
            return false;
        }
        int permits = 0;
        for (Holder holder : holders) {
            if (holder.claim.mode() != claim.mode()) {
                return false;
            }
            permits += holder.claim.permits();
        }
        return claim.mode() == LockMode.SHARED || permits + claim.permits() <= claim.capacity();
    }

    void enqueue(Place place) {
        if (queue == null) {
            queue = new LinkedHashMap<>();
        }
        queue.put(place.id, place);
    }

    @Nullable
    Place place(OwnerId id) {
        return queue == null ? null : queue.get(id);
    }

    void leave(OwnerId id) {
        if (queue != null) {
            queue.remove(id);
        }
    }

    /** Returns the first live waiter, and removes the dead ones before it. */
    @Nullable
    Place firstAlive(long nowNanos) {
        if (queue != null) {
            for (Iterator<Place> places = queue.values().iterator(); places.hasNext(); ) {
                Place place = places.next();
                if (place.isAlive(nowNanos)) {
                    return place;
                }
                places.remove();
            }
        }
        return null;
    }

    int waiters() {
        return queue == null ? 0 : queue.size();
    }

    boolean isIdle() {
        return holders.isEmpty() && waiters() == 0;
    }

    /** Returns the time until the first record of a current holder ends, including its lock-delay. */
    Duration firstEnd(long nowNanos) {
        long first = Long.MAX_VALUE;
        for (Holder holder : holders) {
            first = Math.min(first, Math.max(0, holder.recordEndNanos - nowNanos));
        }
        return Duration.ofNanos(first);
    }

    List<LockSnapshot.Holder> describeHolders(long nowNanos) {
        List<LockSnapshot.Holder> described = new ArrayList<>(holders.size());
        for (Holder holder : holders) {
            described.add(describe(holder, nowNanos));
        }
        return described;
    }

    static LockSnapshot.Holder describe(Holder holder, long nowNanos) {
        return new LockSnapshot.Holder(
                holder.label,
                holder.grant.owner().toString(),
                holder.claim.mode(),
                holder.claim.permits(),
                holder.grant.number(),
                Duration.ofNanos(Math.max(0, nowNanos - holder.sinceNanos)),
                holder.leaseLeft(nowNanos));
    }
}
