package dev.interlock.testkit.history;

import dev.interlock.spi.StoreCapabilities.Tokens;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The setup of a run: its fault model, its bounds, and what makes it valid.
 *
 * <p>Each method returns a modified copy; an instance never changes. The kinds of faults are the names passed to
 * {@link Recorder#faultStarted}.
 *
 * @since 0.1.0
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
     * Excuses nothing. Requires a loss notice within 50 ms, a grant within three times the longest lease, a deadlock
     * victim within 5 s, and at least one grant per second before the first fault.
     */
    public static Expectations strict() {
        return new Expectations();
    }

    /** The clocks of two processes differ by at most this much, or by what handshakes measured if that is more. */
    public Expectations clocksWithin(Duration bound) {
        Expectations changed = copy();
        changed.clockBound = notNegative(bound);
        return changed;
    }

    /** A running process notifies its holder of a loss within this time after the deadline (H7). */
    public Expectations notifiedWithin(Duration bound) {
        Expectations changed = copy();
        changed.noticeWithin = notNegative(bound);
        return changed;
    }

    /** After the last fault, a lock that is requested and free is granted within this time (H8). */
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
     * Derives waits from requests for exclusive locks and their grants, instead of recorded waits (H11). For runs in
     * which an owner is a scope that may hold several locks and waits for one at a time.
     */
    public Expectations derivingWaits() {
        Expectations changed = copy();
        changed.derivesWaits = true;
        return changed;
    }

    /** The run is void if it had fewer grants per second before its first fault. */
    public Expectations load(double grantsPerSecond) {
        if (!(grantsPerSecond >= 0)) {
            throw new IllegalArgumentException("The load is negative or not a number: " + grantsPerSecond + ".");
        }
        Expectations changed = copy();
        changed.load = grantsPerSecond;
        return changed;
    }

    /** The run is void unless these kinds of faults were injected. */
    public Expectations injecting(String... kinds) {
        Expectations changed = copy();
        changed.faults = plus(faults, kinds);
        return changed;
    }

    /** These kinds of faults stop the process at which they are aimed. {@code pause} is always one of them. */
    public Expectations pausedBy(String... kinds) {
        Expectations changed = copy();
        changed.pauses = plus(pauses, kinds);
        return changed;
    }

    /**
     * During these kinds of faults, and for the longest lease after them, windows may overlap and a former owner may
     * succeed (H2, H5), because the store does not promise otherwise. Such breaks are reported with their size; they
     * are not violations.
     */
    public Expectations exclusivityMayBreakIn(String... kinds) {
        Expectations changed = copy();
        changed.exclusivityBreakers = plus(exclusivityBreakers, kinds);
        return changed;
    }

    /**
     * The kind of tokens that the store promises. The kind alone excuses nothing.
     *
     * @see #tokensMayFallAfter
     */
    public Expectations tokens(Tokens kind) {
        Expectations changed = copy();
        changed.tokens = kind;
        return changed.checkedTokens();
    }

    /**
     * After these kinds of faults, clock-bounded tokens may fall, as declared by the store. From such a fault on,
     * breaks of H1, H3 and H4 are reported and are not violations. Rejected for tokens of any other kind.
     */
    public Expectations tokensMayFallAfter(String... kinds) {
        Expectations changed = copy();
        changed.fenceBreakers = plus(fenceBreakers, kinds);
        return changed.checkedTokens();
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

    private Expectations checkedTokens() {
        if (!fenceBreakers.isEmpty() && tokens != Tokens.CLOCK_BOUNDED) {
            throw new IllegalArgumentException(
                    tokens + " tokens never fall, so the faults " + fenceBreakers + " cannot excuse falling tokens.");
        }
        return this;
    }

    private static Duration notNegative(Duration bound) {
        if (bound.isNegative()) {
            throw new IllegalArgumentException("The bound of a run is negative: " + bound + ".");
        }
        return bound;
    }

    private static Set<String> plus(Set<String> kinds, String... more) {
        Set<String> all = new HashSet<>(kinds);
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
