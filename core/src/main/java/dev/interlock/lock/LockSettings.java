package dev.interlock.lock;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How long to wait, how long to hold and how to keep a lock alive; what is not set is inherited.
 *
 * <p>A request inherits from its lock type, the type from the application's defaults, those from
 * {@link #standard()}: wait 5 s, lease 30 s, renewed every third of the lease, no maximum hold, no lock-delay.
 * Each setting stands alone: giving a lease length does not switch renewal off.
 *
 * <p>Immutable. Every value is checked where it is set, with a sentence that says what is allowed.
 */
public final class LockSettings {
    /** The longest patience; nothing waits for ever. */
    public static final Duration MAX_WAIT = Duration.ofHours(24);

    /** The shortest lease: below this, scheduling noise alone loses locks. */
    public static final Duration MIN_LEASE = Duration.ofMillis(20);

    /** The longest lease: a crashed holder blocks everyone else for this long. */
    public static final Duration MAX_LEASE = Duration.ofHours(24);

    /** The longest maximum hold time. */
    public static final Duration MAX_HOLD = Duration.ofDays(30);

    /** The longest lock-delay. */
    public static final Duration MAX_LOCK_DELAY = Duration.ofMinutes(1);

    private static final LockSettings INHERIT = new LockSettings(null, null, null, null, null, null);
    private static final LockSettings STANDARD =
            new LockSettings(Duration.ofSeconds(5), Duration.ofSeconds(30), true, null, null, Duration.ZERO);

    private final @Nullable Duration waitAtMost;
    private final @Nullable Duration leaseFor;
    private final @Nullable Boolean renew;
    private final @Nullable Duration renewEvery;
    private final @Nullable Duration holdAtMost;
    private final @Nullable Duration lockDelay;

    private LockSettings(
            @Nullable Duration waitAtMost,
            @Nullable Duration leaseFor,
            @Nullable Boolean renew,
            @Nullable Duration renewEvery,
            @Nullable Duration holdAtMost,
            @Nullable Duration lockDelay) {
        this.waitAtMost = waitAtMost;
        this.leaseFor = leaseFor;
        this.renew = renew;
        this.renewEvery = renewEvery;
        this.holdAtMost = holdAtMost;
        this.lockDelay = lockDelay;
    }

    /** Nothing set: everything is inherited. */
    public static LockSettings inherit() {
        return INHERIT;
    }

    /** The built-in defaults. */
    public static LockSettings standard() {
        return STANDARD;
    }

    /** Waits at most this long for the lock: local queue, network and all keys together. Zero asks once. */
    public LockSettings waitAtMost(Duration patience) {
        between("waitAtMost", patience, Duration.ZERO, MAX_WAIT);
        return new LockSettings(patience, leaseFor, renew, renewEvery, holdAtMost, lockDelay);
    }

    /** Holds for this long without a renewal; the time after which a crashed holder's lock is free. */
    public LockSettings leaseFor(Duration length) {
        between("leaseFor", length, MIN_LEASE, MAX_LEASE);
        return new LockSettings(waitAtMost, length, renew, renewEvery, holdAtMost, lockDelay);
    }

    /** Whether the lease is kept alive until it is closed. Off means a fixed lease. */
    public LockSettings renew(boolean keepAlive) {
        return new LockSettings(waitAtMost, leaseFor, keepAlive, renewEvery, holdAtMost, lockDelay);
    }

    /** Keeps the lease alive at this interval instead of every third of the lease; at most half of the lease. */
    public LockSettings renewEvery(Duration interval) {
        between("renewEvery", interval, Duration.ofMillis(5), MAX_LEASE);
        return new LockSettings(waitAtMost, leaseFor, true, interval, holdAtMost, lockDelay);
    }

    /** Stops renewing when the lock has been held this long; the lease is then lost as {@link LossReason#HELD_TOO_LONG}. */
    public LockSettings holdAtMost(Duration longest) {
        between("holdAtMost", longest, MIN_LEASE, MAX_HOLD);
        return new LockSettings(waitAtMost, leaseFor, renew, renewEvery, longest, lockDelay);
    }

    /** Keeps the lock closed to everyone for this long after an abnormal loss, for resources that cannot check tokens. */
    public LockSettings lockDelay(Duration grace) {
        between("lockDelay", grace, Duration.ZERO, MAX_LOCK_DELAY);
        return new LockSettings(waitAtMost, leaseFor, renew, renewEvery, holdAtMost, grace);
    }

    /** These settings, with what is not set here taken from the given ones. */
    public LockSettings orElse(LockSettings base) {
        return new LockSettings(
                waitAtMost != null ? waitAtMost : base.waitAtMost,
                leaseFor != null ? leaseFor : base.leaseFor,
                renew != null ? renew : base.renew,
                // An inherited interval belongs to an inherited lease; with another lease it might not fit.
                renewEvery != null ? renewEvery : leaseFor == null ? base.renewEvery : null,
                holdAtMost != null ? holdAtMost : base.holdAtMost,
                lockDelay != null ? lockDelay : base.lockDelay);
    }

    /** The patience, or null if inherited. */
    public @Nullable Duration waitAtMost() {
        return waitAtMost;
    }

    /** The lease length, or null if inherited. */
    public @Nullable Duration leaseFor() {
        return leaseFor;
    }

    /** Whether to renew, or null if inherited. */
    public @Nullable Boolean renew() {
        return renew;
    }

    /** The renewal interval, or null for a third of the lease. */
    public @Nullable Duration renewEvery() {
        return renewEvery;
    }

    /** The maximum hold time, or null for none. */
    public @Nullable Duration holdAtMost() {
        return holdAtMost;
    }

    /** The lock-delay, or null if inherited. */
    public @Nullable Duration lockDelay() {
        return lockDelay;
    }

    @Override
    public String toString() {
        return "LockSettings[waitAtMost=" + waitAtMost + ", leaseFor=" + leaseFor + ", renew=" + renew + ", renewEvery="
                + renewEvery + ", holdAtMost=" + holdAtMost + ", lockDelay=" + lockDelay + "]";
    }

    private static void between(String what, Duration value, Duration least, Duration most) {
        Objects.requireNonNull(value, what + " is null: give a Duration");
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    what + " is " + value + ": choose a duration between " + least + " and " + most);
        }
    }
}
