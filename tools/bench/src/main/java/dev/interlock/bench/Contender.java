package dev.interlock.bench;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * A lock implementation that takes part in a workload: Interlock, or one to compare it with.
 *
 * @param name the name in reports and in lines for scripts
 * @param role what it stands for
 * @param opener opens a new instance
 * @param meter measures its server; empty if it has none
 */
public record Contender(String name, Role role, Supplier<Locking> opener, Optional<ServerMeter> meter) {
    private static final String OURS = "interlock";

    /** What a contender stands for. */
    public enum Role {
        /** Interlock, with default or other settings. */
        OURS,
        /** A minimal implementation: the lowest cost to expect. */
        FLOOR,
        /** Another lock library for the same purpose. */
        PEER
    }

    /** Interlock with its default settings. */
    public static Contender ours(Supplier<Locking> opener) {
        return new Contender(OURS, Role.OURS, opener, Optional.empty());
    }

    /** Interlock with other settings. The variant names them. */
    public static Contender ours(String variant, Supplier<Locking> opener) {
        return new Contender(OURS + '_' + variant, Role.OURS, opener, Optional.empty());
    }

    /** A minimal implementation. */
    public static Contender floor(String name, Supplier<Locking> opener) {
        return new Contender(name, Role.FLOOR, opener, Optional.empty());
    }

    /** Another lock library. */
    public static Contender peer(String name, Supplier<Locking> opener) {
        return new Contender(name, Role.PEER, opener, Optional.empty());
    }

    /** This contender, with a meter for its server. */
    public Contender metered(ServerMeter server) {
        return new Contender(name, role, opener, Optional.of(server));
    }

    /** Whether it is Interlock. */
    public boolean isOurs() {
        return role == Role.OURS;
    }

    /** Whether it is another lock library. */
    public boolean isPeer() {
        return role == Role.PEER;
    }

    /**
     * The suffix that distinguishes a variant of Interlock from the default in workload names: empty, or {@code
     * _strict} for example.
     */
    public String variantSuffix() {
        return isOurs() ? name.substring(OURS.length()) : "";
    }
}
