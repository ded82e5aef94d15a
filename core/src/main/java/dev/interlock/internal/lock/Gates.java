package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The gates of the keys that this process holds or waits for. A key that is not in use has no gate. */
final class Gates {
    private static final int MUTEXES = 256;

    private final EngineRuntime runtime;
    private final ConcurrentHashMap<LockKey, Gate> gates = new ConcurrentHashMap<>();
    private final boolean strictFifo;
    // Shared between gates: a mutex per held lock would cost memory, and every step under a mutex is short.
    private final ReentrantLock[] mutexes = new ReentrantLock[MUTEXES];

    Gates(EngineRuntime runtime, boolean strictFifo) {
        this.runtime = runtime;
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

    /** Resumes the next waiter if the gate is free for it. A gate that is no longer in use is removed. */
    void turn(Gate gate) {
        Waiter next = gate.turn();
        if (next != null) {
            runtime.inTurn(next::goOn);
        } else if (gate.retire()) {
            gates.remove(gate.key, gate);
        }
    }

    /** The asker was granted the key. If several requests can hold it together, the next one may ask. */
    void won(Claim claim, Waiter waiter, Hold hold) {
        Gate gate = require(claim.key());
        gate.won(waiter, hold);
        if (claim.mode() != LockMode.EXCLUSIVE) {
            turn(gate);
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

    /** All holds, including those that are still being collected. */
    Set<Hold> holds() {
        Set<Hold> holds = new LinkedHashSet<>();
        gates.values().forEach(gate -> holds.addAll(gate.localHolds()));
        return holds;
    }

    Collection<Gate> all() {
        return gates.values();
    }
}
