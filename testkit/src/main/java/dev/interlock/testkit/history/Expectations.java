package dev.interlock.testkit.history;

import dev.interlock.spi.StoreCapabilities.Tokens;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a run was set up to do: its fault model, its bounds, and what makes it count.
 *
 * <p>Each method returns a changed copy, so an instance never changes once somebody else has it. Kinds of faults are the
 * names given to {@link Recorder#faultStarted}.
 */
public final class Expectations {
    private Duration clockBound = Duration.ZERO;
    private Duration noticeWithin = Duration.ofMillis(50);
    private Optional<Duration> grantWithin = Optional.empty();
    private Duration deadlockWithin = Duration.ofSeconds(5);
    private boolean derivesWaits;
    private double load = 1;
    private Set<String> faults = Set.of();
    private Set<String> pauses = Set.of("pause");
    private Set<String> exclusivityBreakers = Set.of();
    private Set<String> fenceBreakers = Set.of();
    private Tokens tokens = Tokens.STRICT;

    private Expectations() {}

    /**
     * No excuse for anything. A notice within 50 ms, a grant within three times the longest lease, a victim within 5 s; at
     * least one grant per second before the first fault.
     */
    public static Expectations strict() {
        return new Expectations();
    }

    /** Clocks of two processes differ by at most this much, or by what handshakes measured if that is more. */
    public Expectations clocksWithin(Duration bound) {
        Expectations changed = copy();
        changed.clockBound = notNegative(bound);
        return changed;
    }

    /** A running process tells its holder of a loss within this time after the deadline (H7). */
    public Expectations toldWithin(Duration bound) {
        Expectations changed = copy();
        changed.noticeWithin = notNegative(bound);
        return changed;
    }

    /** After the last fault, a lock that is wanted and free is granted within this time (H8). */
    public Expectations grantedWithin(Duration bound) {
        Expectations changed = copy();
        changed.grantWithin = Optional.of(notNegative(bound));
        return changed;
    }

    /** A cycle of waits has a victim within this time (H11). */
    public Expectations deadlocksBrokenWithin(Duration bound) {
        Expectations changed = copy();
        changed.deadlockWithin = notNegative(bound);
        return changed;
    }

    /**
     * Waits are not recorded, but follow from who asks for exclusive locks and who holds them (H11). For runs in which an owner is a scope that may hold several locks
     * and waits for one at a time.
     */
    public Expectations derivingWaits() {
        Expectations changed = copy();
        changed.derivesWaits = true;
        return changed;
    }

    /** The run is void with fewer grants per second before its first fault. */
    public Expectations load(double grantsPerSecond) {
        if (!(grantsPerSecond >= 0)) {
            throw new IllegalArgumentException("A load of " + grantsPerSecond + " grants per second.");
        }
        Expectations changed = copy();
        changed.load = grantsPerSecond;
        return changed;
    }

    /** The run is void unless it has injected these kinds of faults. */
    public Expectations injecting(String... kinds) {
        Expectations changed = copy();
        changed.faults = plus(faults, kinds);
        return changed;
    }

    /** These kinds of faults make the process they are aimed at stand still; {@code pause} always does. */
    public Expectations pausedBy(String... kinds) {
        Expectations changed = copy();
        changed.pauses = plus(pauses, kinds);
        return changed;
    }

    /**
     * During these kinds of faults, and for the longest lease after them, windows may overlap and a former owner may succeed
     * (H2, H5), because the store does not promise otherwise. That is reported with its size and is no violation.
     */
    public Expectations exclusivityMayBreakIn(String... kinds) {
        Expectations changed = copy();
        changed.exclusivityBreakers = plus(exclusivityBreakers, kinds);
        return changed;
    }

    /**
     * How far the store's tokens can be trusted. That alone excuses nothing.
     *
     * @see #tokensMayFallAfter
     */
    public Expectations tokens(Tokens kind) {
        Expectations changed = copy();
        changed.tokens = kind;
        return changed.agreeing();
    }

    /**
     * These kinds of faults are the declared case in which clock-bounded tokens may fall. From such a fault on, breaks of H1,
     * H3 and H4 are reported and are no violations. Refused for tokens of any other kind.
     */
    public Expectations tokensMayFallAfter(String... kinds) {
        Expectations changed = copy();
        changed.fenceBreakers = plus(fenceBreakers, kinds);
        return changed.agreeing();
    }

    long clockBoundNanos() {
        return clockBound.toNanos();
    }

    long noticeWithinNanos() {
        return noticeWithin.toNanos();
    }

    Optional<Duration> grantWithin() {
        return grantWithin;
    }

    boolean derivesWaits() {
        return derivesWaits;
    }

    long deadlockWithinNanos() {
        return deadlockWithin.toNanos();
    }

    double load() {
        return load;
    }

    Set<String> faults() {
        return faults;
    }

    Set<String> pauses() {
        return pauses;
    }

    Set<String> exclusivityBreakers() {
        return exclusivityBreakers;
    }

    Set<String> fenceBreakers() {
        return fenceBreakers;
    }

    private Expectations agreeing() {
        if (!fenceBreakers.isEmpty() && tokens != Tokens.CLOCK_BOUNDED) {
            throw new IllegalArgumentException(
                    "Tokens that are " + tokens + " never fall, so " + fenceBreakers + " cannot excuse it.");
        }
        return this;
    }

    private static Duration notNegative(Duration bound) {
        if (bound.isNegative()) {
            throw new IllegalArgumentException("A bound of a run cannot be negative: " + bound + ".");
        }
        return bound;
    }

    private static Set<String> plus(Set<String> some, String... more) {
        Set<String> all = new HashSet<>(some);
        all.addAll(List.of(more));
        return Set.copyOf(all);
    }

    private Expectations copy() {
        Expectations copy = new Expectations();
        copy.clockBound = clockBound;
        copy.noticeWithin = noticeWithin;
        copy.grantWithin = grantWithin;
        copy.deadlockWithin = deadlockWithin;
        copy.derivesWaits = derivesWaits;
        copy.load = load;
        copy.faults = faults;
        copy.pauses = pauses;
        copy.exclusivityBreakers = exclusivityBreakers;
        copy.fenceBreakers = fenceBreakers;
        copy.tokens = tokens;
        return copy;
    }
}
