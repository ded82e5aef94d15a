package dev.interlock.lock;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Patience, lease length and renewal of a lock. What is not set comes from the next level.
 *
 * <p>The levels are the request, its {@linkplain LockType#with(LockSettings) lock type}, the defaults of the
 * {@code Interlock}, and {@link #standard()}: patience 5 s, lease 30 s, renewed after every third of the lease, no
 * maximum hold, no lock-delay. Settings are independent of each other: a lease length does not turn off renewal.
 *
 * <p>Immutable: each setter returns a new object. It checks the value, and its exception says what is allowed.
 *
 * @since 0.1.0
 */
public final class LockSettings {
    /** The maximum patience. No request waits for ever. */
    public static final Duration MAX_WAIT = Duration.ofHours(24);

    /** The minimum lease. With a shorter one, delays of the scheduler alone would cause losses. */
    public static final Duration MIN_LEASE = Duration.ofMillis(20);

    /** The maximum lease. A process that dies keeps the lock busy for the rest of its lease. */
    public static final Duration MAX_LEASE = Duration.ofHours(24);

    /** The longest allowed maximum hold. */
    public static final Duration MAX_HOLD = Duration.ofDays(30);

    /** The maximum lock-delay. */
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

    /** Returns settings in which nothing is set, so that everything comes from the next level. */
    public static LockSettings inherit() {
        return INHERIT;
    }

    /** Returns the built-in defaults. */
    public static LockSettings standard() {
        return STANDARD;
    }

    /**
     * Sets the patience: how long a request waits at most for the lock, including the local queue, the network and all
     * keys. Zero asks once.
     *
     * @throws IllegalArgumentException if it is negative or longer than {@link #MAX_WAIT}
     */
    public LockSettings waitAtMost(Duration patience) {
        checkBetween("waitAtMost", patience, Duration.ZERO, MAX_WAIT);
        return new LockSettings(patience, leaseFor, renew, renewEvery, holdAtMost, lockDelay);
    }

    /**
     * Sets the lease length: how long the lock is held without a renewal. If the holder's process dies, the lock is
     * free after this time.
     *
     * @throws IllegalArgumentException if it is shorter than {@link #MIN_LEASE} or longer than {@link #MAX_LEASE}
     */
    public LockSettings leaseFor(Duration length) {
        checkBetween("leaseFor", length, MIN_LEASE, MAX_LEASE);
        return new LockSettings(waitAtMost, length, renew, renewEvery, holdAtMost, lockDelay);
    }

    /** Sets whether the lease is renewed until it is closed. Without renewal, it ends after its length. */
    public LockSettings renew(boolean keepAlive) {
        return new LockSettings(waitAtMost, leaseFor, keepAlive, renewEvery, holdAtMost, lockDelay);
    }

    /**
     * Sets the renewal interval and turns renewal on. The default is a third of the lease, the maximum half of it.
     *
     * @throws IllegalArgumentException if it is shorter than 5 ms or longer than {@link #MAX_LEASE}
     */
    public LockSettings renewEvery(Duration interval) {
        checkBetween("renewEvery", interval, Duration.ofMillis(5), MAX_LEASE);
        return new LockSettings(waitAtMost, leaseFor, true, interval, holdAtMost, lockDelay);
    }

    /**
     * Sets the maximum hold: the longest time that renewals may extend one lease. After it, the lease is lost with
     * {@link LossReason#HELD_TOO_LONG}.
     *
     * @throws IllegalArgumentException if it is shorter than {@link #MIN_LEASE} or longer than {@link #MAX_HOLD}
     */
    public LockSettings holdAtMost(Duration longest) {
        checkBetween("holdAtMost", longest, MIN_LEASE, MAX_HOLD);
        return new LockSettings(waitAtMost, leaseFor, renew, renewEvery, longest, lockDelay);
    }

    /**
     * Sets the lock-delay: how long the lock stays closed to all requests after a lease expired without being closed.
     * It gives late writes time to arrive, for resources that cannot check fencing tokens.
     *
     * @throws IllegalArgumentException if it is negative or longer than {@link #MAX_LOCK_DELAY}
     */
    public LockSettings lockDelay(Duration grace) {
        checkBetween("lockDelay", grace, Duration.ZERO, MAX_LOCK_DELAY);
        return new LockSettings(waitAtMost, leaseFor, renew, renewEvery, holdAtMost, grace);
    }

    /** Returns these settings, with what is not set here taken from the given ones. */
    public LockSettings orElse(LockSettings base) {
        return new LockSettings(
                waitAtMost != null ? waitAtMost : base.waitAtMost,
                leaseFor != null ? leaseFor : base.leaseFor,
                renew != null ? renew : base.renew,
                // The interval of the next level belongs to the lease of that level and may not fit another one.
                renewEvery != null ? renewEvery : leaseFor == null ? base.renewEvery : null,
                holdAtMost != null ? holdAtMost : base.holdAtMost,
                lockDelay != null ? lockDelay : base.lockDelay);
    }

    /** Returns the patience, or null if it is not set. */
    public @Nullable Duration waitAtMost() {
        return waitAtMost;
    }

    /** Returns the lease length, or null if it is not set. */
    public @Nullable Duration leaseFor() {
        return leaseFor;
    }

    /** Returns whether to renew, or null if it is not set. */
    public @Nullable Boolean renew() {
        return renew;
    }

    /** Returns the renewal interval, or null for a third of the lease. */
    public @Nullable Duration renewEvery() {
        return renewEvery;
    }

    /** Returns the maximum hold, or null for none. */
    public @Nullable Duration holdAtMost() {
        return holdAtMost;
    }

    /** Returns the lock-delay, or null if it is not set. */
    public @Nullable Duration lockDelay() {
        return lockDelay;
    }

    @Override
    public String toString() {
        return "LockSettings[waitAtMost=" + waitAtMost + ", leaseFor=" + leaseFor + ", renew=" + renew + ", renewEvery="
                + renewEvery + ", holdAtMost=" + holdAtMost + ", lockDelay=" + lockDelay + "]";
    }

    private static void checkBetween(String what, Duration value, Duration min, Duration max) {
        Objects.requireNonNull(value, what + " is null: give a Duration");
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(
                    what + " is " + value + ": choose a duration between " + min + " and " + max);
        }
    }
}
