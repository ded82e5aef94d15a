package dev.interlock.internal.lock;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The gates of the keys that this process holds or waits for; a key at rest has none. */
final class Gates {
    private static final int MUTEXES = 256;

    private final ConcurrentHashMap<LockKey, Gate> gates = new ConcurrentHashMap<>();
    private final boolean strictFifo;
    // Shared between gates: ten thousand held locks need no mutex each, and no step takes longer than a moment.
    private final ReentrantLock[] mutexes = new ReentrantLock[MUTEXES];

    Gates(boolean strictFifo) {
        this.strictFifo = strictFifo;
        Arrays.setAll(mutexes, i -> new ReentrantLock());
    }

    private Gate newGate(LockKey key) {
        int hash = key.hashCode();
        return new Gate(key, strictFifo, mutexes[(hash ^ hash >>> 16) & (MUTEXES - 1)]);
    }

    Gate.Arrival arrive(Waiter waiter, Claim claim, boolean mayQueue, long nowNanos) {
        while (true) {
            Gate gate = gates.get(claim.key());
            if (gate == null) {
                Gate fresh = newGate(claim.key());
                Gate raced = gates.putIfAbsent(claim.key(), fresh);
                gate = raced == null ? fresh : raced;
            }
            Gate.Arrival arrival = gate.arrive(waiter, claim, mayQueue, nowNanos);
            if (arrival != Gate.Arrival.RETIRED) {
                return arrival;
            }
            gates.remove(claim.key(), gate);
        }
    }

    @Nullable
    Gate find(LockKey key) {
        return gates.get(key);
    }

    /** The gate of a key that is held or asked for, and so has one. */
    Gate require(LockKey key) {
        Gate gate = gates.get(key);
        if (gate == null) {
            throw new IllegalStateException("No gate for \"" + key + "\", though it is in use");
        }
        return gate;
    }

    boolean holds(Grant grant) {
        Gate gate = gates.get(grant.key());
        return gate != null && gate.holds(grant);
    }

    void retireIfIdle(Gate gate) {
        if (gate.retire()) {
            gates.remove(gate.key, gate);
        }
    }

    /** Everything that is held or being collected. */
    Set<Hold> holds() {
        Set<Hold> holds = new LinkedHashSet<>();
        gates.values().forEach(gate -> holds.addAll(gate.localHolds()));
        return holds;
    }

    Collection<Gate> all() {
        return gates.values();
    }
}
