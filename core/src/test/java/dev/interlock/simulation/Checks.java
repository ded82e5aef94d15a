package dev.interlock.simulation;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.spi.Grant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The invariants of the design, checked from outside: by the leases as their holders see them, and by the calls to
 * the store.
 *
 * <p>All processes share one virtual time, so the checks need no tolerance, except for the time that a process needs
 * to run.
 */
final class Checks {
    /** How long after a deadline a running process may take to notify the holder: its alarm and its callback thread. */
    private static final long NOTIFIED_WITHIN_NANOS = 5_000_000;

    /** A delivered lease, and what the task did with it. */
    static final class Tracked {
        final SimulatedProcess process;
        final Lease lease;
        final int permits;
        final int capacity;
        final boolean renewing;
        boolean closed;
        LossReason lost;
        ReleaseResult released;
        long validUntil;

        Tracked(SimulatedProcess process, Lease lease, int permits, int capacity, boolean renewing) {
            this.process = process;
            this.lease = lease;
            this.permits = permits;
            this.capacity = capacity;
            this.renewing = renewing;
            this.validUntil = process.nanos() + lease.remaining().toNanos();
        }

        /** Whether its holder would consider it held if it checked now. */
        private boolean isConsideredHeld() {
            return !closed && !process.isDead() && lease.isHeld();
        }
    }

    private final World world;
    private final Faults faults;
    private final Map<LockKey, List<Tracked>> open = new HashMap<>();
    private final Map<LockKey, FencingToken> newestExclusive = new HashMap<>();
    private final Map<LockKey, Set<FencingToken>> given = new HashMap<>();
    private final Map<LockKey, FencingToken> fence = new HashMap<>();
    private final Map<LockKey, Long> forcedUpTo = new HashMap<>();
    private final Map<Grant, Long> endedGrants = new HashMap<>();
    long grants;
    long passes;
    long losses;
    long refusals;

    Checks(World world, Faults faults) {
        this.world = world;
        this.faults = faults;
    }

    /** A request was granted: tokens must grow, and no holder that it excludes may still consider the key held. */
    void delivered(Tracked fresh) {
        grants++;
        Lease lease = fresh.lease;
        passes += lease.token().pass() > 0 ? 1 : 0;
        world.record(fresh.process.name + " holds " + lease);
        if (!given.computeIfAbsent(lease.key(), key -> new HashSet<>()).add(lease.token())) {
            world.violated("tokens are unique", lease.toString());
        }
        FencingToken newest = newestExclusive.get(lease.key());
        // A process that was paused before delivery delivers a lease that is lost already, and reports it as lost.
        if (newest != null && !lease.token().isNewerThan(newest) && !wasForced(fresh) && lease.isHeld()) {
            world.violated("tokens grow", lease + " after an exclusive lease with " + newest);
        }
        if (lease.mode() == LockMode.EXCLUSIVE
                && (newest == null || lease.token().isNewerThan(newest))) {
            newestExclusive.put(lease.key(), lease.token());
        }
        if (wasForced(fresh)) {
            open.computeIfAbsent(lease.key(), key -> new ArrayList<>()).add(fresh);
            listen(fresh);
            return;
        }
        int permits = fresh.permits;
        for (Tracked other : open.getOrDefault(lease.key(), List.of())) {
            if (other.isConsideredHeld() && !wasForced(other)) {
                boolean excludes = lease.mode() == LockMode.EXCLUSIVE || other.lease.mode() != lease.mode();
                permits += other.permits;
                if (excludes || (lease.mode() == LockMode.PERMITS && permits > fresh.capacity)) {
                    world.violated(
                            "exclusion",
                            fresh.process.name + " got " + lease + " while " + other.process.name + " holds "
                                    + other.lease);
                }
            }
        }
        if (!lease.isHeld() && fresh.process.runningFor() > NOTIFIED_WITHIN_NANOS) {
            world.violated("a lease is valid when it is delivered", lease.toString());
        }
        open.computeIfAbsent(lease.key(), key -> new ArrayList<>()).add(fresh);
        listen(fresh);
    }

    private void listen(Tracked fresh) {
        Lease lease = fresh.lease;
        lease.onLost(reason -> {
            fresh.lost = reason;
            losses++;
            if (fresh.released == ReleaseResult.RELEASED) {
                world.violated("a released lease is not reported as lost", lease.toString());
            }
            if (fresh.renewing && faults.isOnlyLossy() && reason != LossReason.HELD_TOO_LONG) {
                world.violated("a renewed lease survives lost messages", lease + " lost: " + reason);
            }
        });
    }

    /**
     * An operator released the key. Its holder may consider it held until it is notified; only the fence stops its
     * writes.
     */
    void forced(LockKey key, long newestGrant) {
        forcedUpTo.merge(key, newestGrant, Math::max);
    }

    private boolean wasForced(Tracked tracked) {
        return tracked.lease.token().grant() <= forcedUpTo.getOrDefault(tracked.lease.key(), -1L);
    }

    void released(Tracked tracked, ReleaseResult result) {
        tracked.released = result;
        if (tracked.lost != null && result == ReleaseResult.RELEASED) {
            world.violated("a released lease is not reported as lost", tracked.lease.toString());
        }
    }

    void closed(Tracked tracked) {
        tracked.closed = true;
        List<Tracked> others = open.getOrDefault(tracked.lease.key(), List.of());
        others.remove(tracked);
        long number = tracked.lease.token().grant();
        boolean continues =
                others.stream().anyMatch(other -> other.lease.token().grant() == number && !other.closed);
        if (!continues) {
            endedGrants.put(new Grant(tracked.lease.key(), tracked.lease.owner(), number), world.now());
        }
    }

    /** A write that reaches the resource at once. A valid holder must never be refused. */
    void write(Tracked tracked) {
        if (tracked.lease.mode() != LockMode.EXCLUSIVE
                || !tracked.isConsideredHeld()
                || tracked.process.isPaused()
                || wasForced(tracked)) {
            return;
        }
        FencingToken seen = fence.get(tracked.lease.key());
        if (seen != null && seen.isNewerThan(tracked.lease.token())) {
            world.violated("no valid holder is fenced off", tracked.lease + " refused, " + seen + " was seen");
        } else {
            fence.put(tracked.lease.key(), tracked.lease.token());
        }
    }

    /**
     * No grant is renewed after its lease was closed. A grant that is being passed on has no lease for a moment, so
     * only later renewals count.
     */
    void renewalSent(SimulatedProcess process, Grant grant) {
        Long ended = endedGrants.get(grant);
        if (ended == null || Math.min(world.now() - ended, process.runningFor()) < NOTIFIED_WITHIN_NANOS) {
            return;
        }
        boolean inUseAgain = open.getOrDefault(grant.key(), List.of()).stream()
                .anyMatch(other -> other.lease.token().grant() == grant.number() && !other.closed);
        if (!inUseAgain) {
            world.violated("nothing is renewed after close", process.name + " renews " + grant);
        }
    }

    /** Checks every lease: a running holder of a lost lease must have been notified. */
    void sweep() {
        for (List<Tracked> leases : open.values()) {
            for (Tracked tracked : leases) {
                sweep(tracked);
            }
        }
    }

    /**
     * Reads the lease only while it should still be valid: reading an expired lease makes it notice the expiry, which
     * is what this checks.
     */
    private void sweep(Tracked tracked) {
        if (tracked.closed || tracked.lost != null || tracked.process.isDead() || tracked.process.isPaused()) {
            return;
        }
        long now = tracked.process.nanos();
        if (now < tracked.validUntil) {
            tracked.validUntil = now + tracked.lease.remaining().toNanos();
        }
        long late = Math.min(now - tracked.validUntil, tracked.process.runningFor());
        if (late <= NOTIFIED_WITHIN_NANOS) {
            return;
        }
        if (tracked.lease.isHeld()) {
            tracked.validUntil = now + tracked.lease.remaining().toNanos(); // renewed since the last check
        } else {
            world.violated(
                    "a loss is reported by the deadline",
                    tracked.process.name + " was not notified of " + tracked.lease);
            tracked.lost = LossReason.EXPIRED;
        }
    }

    /** A lease that was reported as lost is never held again. */
    void checkLost() {
        for (List<Tracked> leases : open.values()) {
            for (Tracked tracked : leases) {
                if (tracked.lost != null && !tracked.process.isDead() && tracked.lease.isHeld()) {
                    world.violated("a loss is never taken back", tracked.lease.toString());
                }
            }
        }
    }
}
