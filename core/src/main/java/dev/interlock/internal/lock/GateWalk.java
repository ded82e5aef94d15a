package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Deadlock;
import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.LockEvent.Refusal;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Takes requests through the gates of their keys.
 *
 * <pre>
 *   advance ──▶ enter the gates of all keys ──▶ one attempt for all keys ──▶ all granted ──▶ deliver
 *      ▲             │                                  │
 *      │             └── one is not free: wait there    └── some granted: leave later gates, wait at the first busy one
 *      │                       │                                               │
 *      └───────────────────────┴── a push, a heartbeat or a local turn ────────┘
 * </pre>
 *
 * While a request waits for one key, it holds only earlier keys and keeps no later gate: a later gate that is kept
 * while an earlier key is waited for would close a cycle with two other requests.
 */
final class GateWalk implements WaiterSteps {
    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final StoreAccess access;
    private final Gates gates;
    private final QueuePlaces places;
    private final Holds holds;
    private final LeakGuard leaks;
    private final LongWaits longWaits;
    private final WaitMessages messages;
    private final StoreAttempts attempts;
    private final Settlement settlement;

    GateWalk(
            EngineRuntime runtime,
            EngineSettings settings,
            StoreAccess access,
            Gates gates,
            QueuePlaces places,
            Holds holds,
            Watchdog watchdog,
            Events events,
            LeakGuard leaks,
            LongWaits longWaits) {
        this.runtime = runtime;
        this.settings = settings;
        this.access = access;
        this.gates = gates;
        this.places = places;
        this.holds = holds;
        this.leaks = leaks;
        this.longWaits = longWaits;
        this.messages = new WaitMessages(runtime, settings, gates);
        this.settlement = new Settlement(runtime, gates, holds, events, leaks, messages, this);
        this.attempts = new StoreAttempts(
                runtime, settings, access, gates, places, holds, watchdog, messages, this, settlement);
    }

    // ---- begin and wait -----------------------------------------------------------------------------------------

    Waiter newWaiter(Waiter.Order order) {
        long now = runtime.now();
        OwnerId id = access.newOwner();
        return new Waiter(
                this,
                runtime,
                order,
                id,
                leaks.callSite(id, order.claims().get(0).key()),
                now);
    }

    /** Begins on the caller's thread. Afterwards the request is settled, or waits. */
    void start(Waiter waiter) {
        advance(waiter, Waiter.NO_GATE);
        if (!waiter.isSettled()) {
            waiter.timed = true;
            runtime.timetable().set(waiter, waiter.deadlineNanos + waiter.graceNanos);
            if (waiter.isSettled()) {
                runtime.timetable().cancel(waiter);
            } else if (runtime.isClosed()) {
                close(waiter);
            } else {
                longWaits.begun(waiter.settings().waitAtMostNanos(), waiter.startedNanos);
            }
        }
    }

    /** Blocks the caller's thread until the request is settled. An interrupt ends the request. */
    void await(Waiter waiter) {
        settlement.await(waiter);
    }

    // ---- the walk -----------------------------------------------------------------------------------------------

    @Override
    public void goOn(Waiter waiter) {
        advance(waiter, waiter.at);
    }

    /**
     * Enters the gates of all keys that are not granted yet, or parks at one that is not free. The first few times,
     * the gates entered so far are left again before the request parks: otherwise a few large sets serialize
     * unrelated requests. After that, and if the request holds keys already, it keeps them, so that every request
     * gets through in the end.
     *
     * @param through the gate that was entered already, or {@link Waiter#NO_GATE}
     */
    void advance(Waiter waiter, int through) {
        Hold prefix = waiter.hold;
        int inHand = through;
        int to = enterFrom(waiter, waiter.next + waiter.entered, inHand);
        while (to < waiter.claims.size()) {
            boolean keeps =
                    waiter.hold != null || waiter.gateRetries++ >= Protocol.MAX_GATE_RETRIES || settings.strictFifo();
            if (inHand > to) {
                leaveGates(waiter, inHand, inHand + 1);
            }
            if (!keeps) {
                leaveGates(waiter, waiter.next, to);
            }
            waiter.entered = keeps ? to - waiter.next : 0;
            waiter.reach(to);
            Gate.Arrival arrival = gates.arrive(waiter, waiter.claims.get(to), waiter.mayWait(), runtime.now());
            if (arrival != Gate.Arrival.ASK) {
                stoppedAtGate(waiter, arrival, prefix);
                return;
            }
            inHand = to;
            to = enterFrom(waiter, waiter.next + waiter.entered, inHand);
        }
        waiter.at = waiter.next;
        waiter.entered = 0;
        if (waiter.isCutShort()) {
            leaveGates(waiter, waiter.next, to);
            settlement.putDown(waiter);
        } else {
            attempts.attempt(waiter, waiter.next, to);
        }
    }

    /**
     * Enters gates as long as they are free and returns the first that is not. The gate of a single key is waited
     * for.
     */
    private int enterFrom(Waiter waiter, int from, int inHand) {
        int to = from;
        while (to < waiter.claims.size() && (to == inHand || entersFree(waiter, to))) {
            to++;
        }
        return to;
    }

    private boolean entersFree(Waiter waiter, int gate) {
        return waiter.claims.size() > 1
                && gates.arrive(waiter, waiter.claims.get(gate), false, runtime.now()) == Gate.Arrival.ASK;
    }

    private void stoppedAtGate(Waiter waiter, Gate.Arrival arrival, @Nullable Hold prefix) {
        switch (arrival) {
            case PASSED -> settlement.deliver(waiter);
            case CUT_SHORT -> {
                leaveEntered(waiter);
                settlement.putDown(waiter);
            }
            case NOT_FREE -> {
                leaveEntered(waiter);
                settlement.fail(waiter, Refusal.BUSY, () -> messages.timedOut(waiter));
            }
            case FULL -> {
                leaveEntered(waiter);
                settlement.fail(
                        waiter,
                        Refusal.REFUSED,
                        () -> messages.full(waiter.currentClaim().key()));
            }
            default -> restartIfPrefixLost(waiter, prefix); // parked: another thread may be working on it already
        }
    }

    // ---- leaving ------------------------------------------------------------------------------------------------

    /** Stops asking at these gates and resumes the next waiters there. */
    void leaveGates(Waiter waiter, int from, int to) {
        for (int i = from; i < to; i++) {
            Gate gate = gates.require(waiter.claims.get(i).key());
            gate.unask(waiter);
            gates.turn(gate);
        }
    }

    /** Leaves the gates that were kept while the request waited at a later one. */
    void leaveEntered(Waiter waiter) {
        int count = waiter.entered;
        waiter.entered = 0;
        leaveGates(waiter, waiter.next, waiter.next + count);
    }

    /** Leaves the queue of the gate at which the request was parked. */
    void leaveQueue(Waiter waiter) {
        Gate gate = gates.find(waiter.currentClaim().key());
        if (gate == null) {
            return;
        }
        Gate.Departure left = gate.leave(waiter);
        if (left.abandoned() != null) {
            places.abandon(left.abandoned());
        }
        if (left.takenOver() != null) {
            left.takenOver().recheckIn(0);
        }
        Hold stranded = gate.takeStranded();
        if (stranded != null) {
            holds.giveUp(stranded);
        }
        gates.turn(gate);
    }

    // ---- again --------------------------------------------------------------------------------------------------

    /** A grant that was held already is gone: returns the others and starts again, within the same deadline. */
    void restart(Waiter waiter) {
        settlement.giveBack(waiter);
        if (waiter.hadPlace) {
            // A place that was not granted is still in the store's queue.
            places.withdraw(waiter.id, waiter.claims);
        }
        waiter.reset(access.newOwner());
        if (waiter.isCutShort()) {
            settlement.putDown(waiter);
        } else if (runtime.isClosed()) {
            settlement.fail(waiter, Refusal.CLOSED, () -> messages.closed(waiter));
        } else if (!waiter.mayWait() || runtime.now() >= waiter.deadlineNanos) {
            StoreException slow = waiter.unanswered;
            if (slow == null) {
                settlement.fail(waiter, Refusal.BUSY, () -> messages.timedOut(waiter));
            } else {
                settlement.fail(waiter, Refusal.STORE_UNAVAILABLE, () -> messages.unavailable(waiter, slow));
            }
        } else {
            // After a pause: the same failure may repeat at once, and the store may be answering on this very stack.
            runtime.later(attempts.nextRetryPause(waiter), () -> advance(waiter, Waiter.NO_GATE));
        }
    }

    @Override
    public void prefixLost(Waiter waiter) {
        if (waiter.takeUp()) {
            leaveQueue(waiter);
            leaveEntered(waiter);
            restart(waiter);
        }
    }

    /** The request was parked. While a thread worked on it, a loss of its grants could not restart it. */
    void restartIfPrefixLost(Waiter waiter, @Nullable Hold prefix) {
        if (waiter.timed) {
            longWaits.begun(waiter.settings().waitAtMostNanos(), waiter.startedNanos);
        }
        if (prefix != null && !prefix.isLive()) {
            prefixLost(waiter);
        }
    }

    // ---- steps of the companions --------------------------------------------------------------------------------

    @Override
    public void deliver(Waiter waiter) {
        settlement.deliver(waiter);
    }

    @Override
    public void placeWon(Waiter waiter, Granted granted, QueuePlace place) {
        attempts.placeWon(waiter, granted, place);
    }

    @Override
    public void patienceOver(Waiter waiter, long nowNanos) {
        settlement.patienceOver(waiter, nowNanos);
    }

    @Override
    public void cancel(Waiter waiter) {
        settlement.end(waiter, Refusal.CANCELLED, () -> messages.cancelled(waiter));
    }

    @Override
    public boolean close(Waiter waiter) {
        return settlement.end(waiter, Refusal.CLOSED, () -> messages.closed(waiter));
    }

    @Override
    public void giveUpFor(Waiter waiter, Deadlock deadlock) {
        settlement.end(waiter, Refusal.DEADLOCK, () -> messages.deadlock(waiter, deadlock));
    }

    @Override
    public void giveUpForOwn(Waiter waiter, LockKey key, EngineScope scope) {
        settlement.end(waiter, Refusal.ORDER, () -> messages.heldByItsScope(waiter, key, scope));
    }
}
