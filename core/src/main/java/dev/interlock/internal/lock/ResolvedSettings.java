package dev.interlock.internal.lock;

import dev.interlock.lock.LockSettings;
import java.time.Duration;
import java.util.Objects;

/**
 * The settings of one request with all defaults filled in, in nanoseconds.
 *
 * @param renewEveryNanos 0 for a fixed lease
 * @param holdAtMostNanos {@link Long#MAX_VALUE} for no maximum
 */
record ResolvedSettings(
        long waitAtMostNanos,
        Duration leaseFor,
        long leaseNanos,
        long renewEveryNanos,
        long holdAtMostNanos,
        Duration lockDelay) {

    static ResolvedSettings resolve(LockSettings own, LockSettings defaults) {
        LockSettings all = own.orElse(defaults).orElse(LockSettings.standard());
        Duration wait = Objects.requireNonNull(all.waitAtMost());
        Duration lease = Objects.requireNonNull(all.leaseFor());
        Duration lockDelay = Objects.requireNonNull(all.lockDelay());
        Duration holdAtMost = all.holdAtMost();
        if (holdAtMost != null && holdAtMost.compareTo(lease) < 0) {
            throw new IllegalArgumentException("holdAtMost is " + holdAtMost + ", shorter than leaseFor " + lease
                    + ": shorten the lease, or allow a longer hold");
        }
        return new ResolvedSettings(
                wait.toNanos(),
                lease,
                lease.toNanos(),
                Boolean.TRUE.equals(all.renew()) ? renewEvery(all, lease) : 0,
                holdAtMost == null ? Long.MAX_VALUE : holdAtMost.toNanos(),
                lockDelay);
    }

    private static long renewEvery(LockSettings all, Duration lease) {
        Duration interval = all.renewEvery();
        if (interval == null) {
            return lease.toNanos() / 3;
        }
        if (interval.multipliedBy(2).compareTo(lease) > 0) {
            throw new IllegalArgumentException("renewEvery is " + interval + ", more than half of leaseFor " + lease
                    + ": one late renewal would lose the lock; renew more often or take a longer lease");
        }
        return interval.toNanos();
    }

    boolean renews() {
        return renewEveryNanos > 0;
    }

    /** Whether a hold with this much time left can be passed to a request with these settings. */
    boolean fitsInto(long remainingNanos) {
        return remainingNanos >= (renews() ? leaseNanos / 2 : leaseNanos);
    }
}
