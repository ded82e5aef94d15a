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
 * One key: who holds it and who waits for it, in order of arrival.
 *
 * <p>Guarded by the lock of its {@link LockTable}. A holder past its end does not count and is dropped on sight.
 */
final class LockRecord {
    /** One live grant. */
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

        /** Never shortens: a renewal that was overtaken by a longer one changes nothing. */
        void extend(long nowNanos, Duration lease, Duration lockDelay) {
            leaseEndNanos = Math.max(leaseEndNanos, nowNanos + lease.toNanos());
            recordEndNanos = Math.max(recordEndNanos, nowNanos + lease.toNanos() + lockDelay.toNanos());
        }

        /** Whether somebody still owns it: during a lock-delay the record stands, but nobody does. */
        boolean isHeld(long nowNanos) {
            return leaseEndNanos - nowNanos > 0;
        }

        Duration leaseLeft(long nowNanos) {
            return Duration.ofNanos(Math.max(0, leaseEndNanos - nowNanos));
        }
    }

    /** One place in the queue. */
    static final class Place {
        final OwnerId id;
        final Claim claim;
        final String label;
        final Duration heardWithin;
        final long tokenFloor;
        final StoreListener listener;
        long heardAtNanos;

        Place(OwnerId id, Claim claim, String label, Duration heardWithin, long tokenFloor, StoreListener listener) {
            this.id = id;
            this.claim = claim;
            this.label = label;
            this.heardWithin = heardWithin;
            this.tokenFloor = tokenFloor;
            this.listener = listener;
        }

        boolean isAlive(long nowNanos) {
            return nowNanos - heardAtNanos <= heardWithin.toNanos();
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

    /** The first waiter that is alive; dead ones before it lose their places. */
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

    /** When the first of the current holders' records ends. */
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
