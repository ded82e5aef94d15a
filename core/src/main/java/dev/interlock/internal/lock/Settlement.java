package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.LockEvent.Refusal;
import dev.interlock.spi.StoreException;
import java.util.function.Supplier;

/**
 * Settles requests: delivers the lease, or ends the request from inside or outside and returns what it had.
 *
 * <p>Invariant: exactly one compare-and-set of the {@link Phase} decides between delivery and end. The caller learns
 * the outcome at once, even if a store call is still in flight.
 */
final class Settlement {
    private final EngineRuntime runtime;
    private final Gates gates;
    private final Holds holds;
    private final Events events;
    private final LeakGuard leaks;
    private final WaitMessages messages;
    private final GateWalk walk;

    Settlement(
            EngineRuntime runtime,
            Gates gates,
            Holds holds,
            Events events,
            LeakGuard leaks,
            WaitMessages messages,
            GateWalk walk) {
        this.runtime = runtime;
        this.gates = gates;
        this.holds = holds;
        this.events = events;
        this.leaks = leaks;
        this.messages = messages;
        this.walk = walk;
    }

    // ---- the lease ----------------------------------------------------------------------------------------------

    /** Turns the collected grants into a lease, unless the request has ended or the grants have expired. */
    void deliver(Waiter waiter) {
        Hold got = waiter.hold;
        long now = runtime.now();
        if (got == null || !got.isValid(now)) {
            if (got != null && !got.wasPassed()) {
                // No other request has it, so the lock is not busy: the answer arrived too late to be valid.
                waiter.unanswered = StoreException.unknown("The answer took longer than the lease", null);
            }
            walk.restart(waiter);
            return;
        }
        // Decided before the lease is visible: a request that joins the hold must not see it disappear again.
        if (!waiter.move(Phase.WORKING, Phase.DONE)) {
            waiter.hold = null;
            holds.giveUp(got);
            putDown(waiter);
            return;
        }
        waiter.hold = null;
        if (waiter.timed) {
            runtime.timetable().cancel(waiter);
        }
        got.deliver(now);
        LeaseHandle lease = newLease(waiter, got);
        lease.begin();
        events.granted(got, now - waiter.startedNanos);
        waiter.settle(lease, null);
        if (runtime.isClosed()) {
            // The shutdown may have searched for leases just before this one existed.
            var unused = holds.endForClosing(got);
        }
    }

    private LeaseHandle newLease(Waiter waiter, Hold hold) {
        Waiter.Order order = waiter.order;
        Thread interruptee = order.interruptOnLoss() ? waiter.thread : null;
        return order.asSet()
                ? new HeldSet(leaks.dropped(), hold, order.scope(), interruptee, waiter.acquiredAt)
                : new HeldLease(leaks.dropped(), hold, order.scope(), interruptee, waiter.acquiredAt);
    }

    // ---- the caller's thread ------------------------------------------------------------------------------------

    /** Blocks the caller's thread until the request is settled. An interrupt ends the request. */
    void await(Waiter waiter) {
        boolean interrupted = false;
        while (!waiter.isSettled()) {
            if (Thread.interrupted()) {
                interrupted = true;
                end(waiter, Refusal.INTERRUPTED, () -> messages.interrupted(waiter));
            } else {
                takeOpen(waiter);
                if (!waiter.isSettled()) {
                    runtime.parking().park(waiter);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes the hold that is open for this request, whose thread has just woken up. */
    private void takeOpen(Waiter waiter) {
        if (!waiter.takesPasses() || waiter.phase() != Phase.PARKED) {
            return;
        }
        Gate gate = gates.find(waiter.claims.get(0).key());
        Gate.Opening opening = gate == null ? null : gate.takeOpen(waiter, runtime.now());
        if (opening == null) {
            return;
        }
        if (opening.taken()) {
            deliver(waiter);
        } else {
            holds.giveUp(opening.hold());
        }
    }

    // ---- ends ---------------------------------------------------------------------------------------------------

    /** The patience of the request is over. Called on the deadline thread. */
    void patienceOver(Waiter waiter, long nowNanos) {
        StoreException lost = waiter.unanswered;
        boolean waitsForAnswer = waiter.asking && waiter.obstacle == null;
        long firstAnswerBy = waiter.startedNanos + Protocol.FIRST_ANSWER_NANOS;
        if (lost == null && waitsForAnswer && nowNanos < firstAnswerBy) {
            runtime.timetable().set(waiter, firstAnswerBy);
            if (waiter.isSettled()) {
                runtime.timetable().cancel(waiter);
            }
            return;
        }
        // Busy only if the store said so during this wait: a call without an answer proves nothing.
        if (lost != null || waitsForAnswer) {
            runtime.lane()
                    .execute(() -> end(waiter, Refusal.STORE_UNAVAILABLE, () -> messages.unavailable(waiter, lost)));
        } else {
            runtime.lane().execute(() -> end(waiter, Refusal.BUSY, () -> messages.timedOut(waiter)));
        }
    }

    /** Ends the wait from outside; true if this call ended it. */
    boolean end(Waiter waiter, Refusal refusal, Supplier<RuntimeException> why) {
        while (true) {
            if (waiter.move(Phase.PARKED, Phase.ENDED)) {
                ended(waiter, refusal, why);
                walk.leaveQueue(waiter);
                walk.leaveEntered(waiter);
                giveBack(waiter);
                return true;
            }
            if (waiter.move(Phase.WORKING, Phase.CUT_SHORT)) {
                ended(waiter, refusal, why);
                return true;
            }
            Phase now = waiter.phase();
            if (now != Phase.PARKED && now != Phase.WORKING) {
                return false;
            }
        }
    }

    /** Ends the wait from inside: the thread that works on it cannot continue. */
    void fail(Waiter waiter, Refusal refusal, Supplier<RuntimeException> why) {
        giveBack(waiter);
        if (waiter.move(Phase.WORKING, Phase.ENDED)) {
            ended(waiter, refusal, why);
        } else {
            putDown(waiter);
        }
    }

    /** The thread that works on a request that was cut short has nothing left of it, in hand or in flight. */
    void putDown(Waiter waiter) {
        giveBack(waiter);
        waiter.move(Phase.CUT_SHORT, Phase.ENDED);
    }

    private void ended(Waiter waiter, Refusal refusal, Supplier<RuntimeException> why) {
        runtime.timetable().cancel(waiter);
        events.refused(waiter.claims, runtime.now() - waiter.startedNanos, refusal);
        waiter.settle(null, new Waiter.Failure(refusal, why));
    }

    /** Returns the grants to the store, not to the next local waiter: they may be unconfirmed, or gone already. */
    void giveBack(Waiter waiter) {
        Hold collected = waiter.hold;
        waiter.hold = null;
        if (collected != null) {
            holds.giveToStore(collected);
        }
    }
}
