package dev.interlock.bench;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * One way to lock that takes part in a workload: ours, or one to compare with.
 *
 * @param name how it is called in the report and in the lines for scripts
 * @param role whose it is
 * @param opener opens it afresh
 * @param meter what its server does; empty if it has none
 */
public record Contender(String name, Role role, Supplier<Locking> opener, Optional<ServerMeter> meter) {
    private static final String OURS = "interlock";

    /** Whose a contender is. */
    public enum Role {
        /** Interlock in one of its settings. */
        OURS,
        /** The least that any lock costs. */
        FLOOR,
        /** A lock that others offer for the same purpose. */
        PEER
    }

    /** Interlock with its defaults. */
    public static Contender ours(Supplier<Locking> opener) {
        return new Contender(OURS, Role.OURS, opener, Optional.empty());
    }

    /** Interlock in a setting that is not the default, named for it. */
    public static Contender ours(String variant, Supplier<Locking> opener) {
        return new Contender(OURS + '_' + variant, Role.OURS, opener, Optional.empty());
    }

    /** A floor. */
    public static Contender floor(String name, Supplier<Locking> opener) {
        return new Contender(name, Role.FLOOR, opener, Optional.empty());
    }

    /** A peer. */
    public static Contender peer(String name, Supplier<Locking> opener) {
        return new Contender(name, Role.PEER, opener, Optional.empty());
    }

    /** This one, with a look at its server. */
    public Contender metered(ServerMeter server) {
        return new Contender(name, role, opener, Optional.of(server));
    }

    /** Whether it is Interlock. */
    public boolean isOurs() {
        return role == Role.OURS;
    }

    /** Whether it is a peer. */
    public boolean isPeer() {
        return role == Role.PEER;
    }

    /** What is added to a workload's name to tell this setting of ours from the default: empty, or {@code _strict}. */
    public String variantSuffix() {
        return isOurs() ? name.substring(OURS.length()) : "";
    }
}
