package dev.interlock.internal.lock;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one key inside this process; only one request at a time talks to the store about the key.
 *
 * <p>Invariants: at most one of {@code asker} and {@code place} is set; a request is in {@code queue}, is the {@code asker},
 * is served by the {@code place}, or has left; a lease that lies {@code open} is in {@code holds} too and somebody is queued
 * for it; whoever is in {@code queue} is parked or ended.
 *
 * <p>Pure state: no store calls, no clock of its own. Each method is one step under the mutex and says what its caller must do
 * next. Thread-safe.
 */
final class Gate {
    /** What arriving at a gate led to. */
    enum Arrival {
        /** The request may ask the store. */
        ASK,
        /** It is parked in the queue. */
        WAIT,
        /** The gate is not free, and the request did not want to queue. */
        NOT_FREE,
        /** A lease that lay open is the request's now, see {@link Waiter#receive}. */
        PASSED,
        /** It was ended meanwhile. */
        CUT_SHORT,
        /** Too many wait already. */
        FULL,
        /** This gate was given up; look it up again. */
        RETIRED
    }

    final LockKey key;
    private final boolean strictFifo;
    private final ReentrantLock mutex;
    // A set in order of arrival: leaving from the middle must not cost a walk past ten thousand others.
    private @Nullable LinkedHashSet<Waiter> queue;
    private @Nullable Object holds; // few
    private @Nullable Waiter asker;
    private @Nullable Ask place;
    private @Nullable Hold open;
    /** Releases that are on their way to the store; the next in line asks when they are answered. */
    private int releasing;

    private boolean retired;

    /**
     * @param mutex guards this gate, and maybe others: no step looks at two of them
     */
    Gate(LockKey key, boolean strictFifo, ReentrantLock mutex) {
        this.key = key;
        this.mutex = mutex;
        this.strictFifo = strictFifo;
    }

    /** A request comes; it is being worked on by the calling thread. */
    Arrival arrive(Waiter waiter, Claim claim, boolean mayQueue, long nowNanos) {
        mutex.lock();
        try {
            if (retired) {
                return Arrival.RETIRED;
            }
            if (isIdle() && admits(claim)) {
                asker = waiter;
                return Arrival.ASK;
            }
            if (barge(waiter, nowNanos)) {
                return Arrival.PASSED;
            }
            if (!mayQueue) {
                return Arrival.NOT_FREE;
            }
            if (queue == null) {
                queue = new LinkedHashSet<>();
            }
            if (queue.size() >= EngineSettings.WAITERS_PER_KEY) {
                return Arrival.FULL;
            }
            // Parked before it is visible in the queue: whoever picks it must be able to claim it.
            if (!waiter.park()) {
                return Arrival.CUT_SHORT;
            }
            queue.add(waiter);
            return Arrival.WAIT;
        } finally {
            mutex.unlock();
        }
    }

    /** A thread that is already running takes the lease that lies open for one that is still waking up. */
    private boolean barge(Waiter waiter, long nowNanos) {
        Waiter head = head();
        Hold lying = open;
        if (lying == null || head == null || head.overtaken >= EngineSettings.OVERTAKEN_AT_MOST) {
            return false;
        }
        if (!waiter.takesPasses() || !lying.canPassTo(waiter, nowNanos)) {
            return false;
        }
        head.overtaken++;
        open = null;
        lying.passTo(waiter, nowNanos);
        return true;
    }

    /** What a woken request found: a lease that is its own now, or one that is not good enough for it any more. */
    record Opening(Hold hold, boolean taken) {}

    /** The one a lease lies open for is awake; what it cannot take must be handed over again. */
    @Nullable
    Opening takeOpen(Waiter waiter, long nowNanos) {
        mutex.lock();
        try {
            Hold lying = open;
            if (lying == null || head() != waiter) {
                return null;
            }
            // Not canPassTo: however long the waking took, this pass was decided when the lease was laid open.
            boolean taken = lying.fits(waiter, nowNanos) && waiter.claim();
            open = null;
            if (taken) {
                removeFromQueue(waiter);
                lying.passTo(waiter, nowNanos);
            }
            return new Opening(lying, taken);
        } finally {
            mutex.unlock();
        }
    }

    /** The asker has been granted the key. */
    void won(Waiter waiter, Hold hold) {
        mutex.lock();
        try {
            if (asker == waiter) {
                asker = null;
            }
            holds = Few.with(holds, hold);
        } finally {
            mutex.unlock();
        }
    }

    /** What became of a place that the asker got at the store. */
    enum Placing {
        /** The asker waits there. */
        PARKED,
        /** The asker was ended meanwhile, and the next in line waits there instead. */
        INHERITED,
        /** The asker was ended meanwhile, and nobody wants the place: it must be withdrawn. */
        ABANDONED
    }

    /** The asker has a place at the store now and waits there. */
    Placing placed(Waiter waiter, Ask newPlace) {
        mutex.lock();
        try {
            asker = null;
            if (waiter.park()) {
                place = newPlace;
                return Placing.PARKED;
            }
            Waiter heir = heirOf(newPlace.claim);
            if (heir == null) {
                return Placing.ABANDONED;
            }
            removeFromQueue(heir);
            newPlace.waiter = heir;
            place = newPlace;
            return Placing.INHERITED;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * The place has served: it was granted, forgotten or is to be polled again.
     *
     * @return the request that goes on, claimed and now the asker; null if the place is no longer this gate's, or if nobody
     *     is left and the one who gave up is about to withdraw it
     */
    @Nullable
    Waiter leavePlace(Ask left) {
        mutex.lock();
        try {
            if (place != left) {
                return null;
            }
            Waiter next = left.waiter;
            if (!next.claim()) {
                next = claimHeirOf(left.claim);
                if (next == null) {
                    return null;
                }
            }
            place = null;
            asker = next;
            return next;
        } finally {
            mutex.unlock();
        }
    }

    private @Nullable Waiter claimHeirOf(Claim claim) {
        for (Waiter heir = heirOf(claim); heir != null; heir = heirOf(claim)) {
            removeFromQueue(heir);
            if (heir.claim()) {
                return heir;
            }
        }
        return null;
    }

    /** The first in line, if a place for the given claim serves it too. Further ones would overtake it. */
    private @Nullable Waiter heirOf(Claim claim) {
        Waiter head = head();
        return head != null && head.wantsPlace() && head.currentClaim().sameKindAs(claim) ? head : null;
    }

    /** The asker no longer asks: it failed, was refused, or goes back to a key before this one. */
    void unask(Waiter waiter) {
        mutex.lock();
        try {
            if (asker == waiter) {
                asker = null;
            }
        } finally {
            mutex.unlock();
        }
    }

    /**
     * What a request that left has left behind.
     *
     * @param abandoned the place that nobody inherited and must be withdrawn
     * @param inherited the place that serves the next in line now; a push may just have found nobody there
     */
    record Departure(@Nullable Ask abandoned, @Nullable Ask inherited) {}

    private static final Departure NOTHING_LEFT = new Departure(null, null);

    /** A parked request was ended and leaves. */
    Departure leave(Waiter waiter) {
        mutex.lock();
        try {
            Ask served = place;
            if (served == null || served.waiter != waiter) {
                removeFromQueue(waiter);
                return NOTHING_LEFT;
            }
            Waiter heir = heirOf(served.claim);
            if (heir == null) {
                place = null;
                return new Departure(served, null);
            }
            removeFromQueue(heir);
            served.waiter = heir;
            return new Departure(null, served);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Who is next, if the gate is free for it; it is claimed, out of the queue and the asker now.
     *
     * <p>To be called after every step that may have freed the gate.
     */
    @Nullable
    Waiter turn() {
        mutex.lock();
        try {
            if (asker != null || place != null || open != null || releasing > 0) {
                return null;
            }
            for (Waiter head = head(); head != null && admits(head.currentClaim()); head = head()) {
                removeFromQueue(head);
                if (head.claim()) {
                    asker = head;
                    return head;
                }
            }
            return null;
        } finally {
            mutex.unlock();
        }
    }

    /** What became of a lease that its holder has closed. */
    sealed interface Handover {
        /** It goes to this request, claimed and out of the queue. */
        record To(Waiter next) implements Handover {}

        /** It lies open; this request's thread is to be woken. */
        record Open(Waiter wake) implements Handover {}

        /** The store must be told. */
        record ToStore() implements Handover {}
    }

    private static final Handover TO_STORE = new Handover.ToStore();

    /** A holder closes its lease on this key alone. */
    Handover handOver(Hold hold, long nowNanos) {
        mutex.lock();
        try {
            for (Waiter head = head(); head != null; head = head()) {
                if (!head.takesPasses() || !hold.canPassTo(head, nowNanos)) {
                    break;
                }
                if (!strictFifo && head.isThread() && head.overtaken < EngineSettings.OVERTAKEN_AT_MOST) {
                    open = hold;
                    return new Handover.Open(head);
                }
                removeFromQueue(head);
                if (head.claim()) {
                    hold.passTo(head, nowNanos);
                    return new Handover.To(head);
                }
            }
            return TO_STORE;
        } finally {
            mutex.unlock();
        }
    }

    /** A hold ends and its release is on the way to the store; to be followed by {@link #released}. */
    void releasing(Hold hold) {
        mutex.lock();
        try {
            holds = Few.without(holds, hold);
            if (open == hold) {
                open = null;
            }
            releasing++;
        } finally {
            mutex.unlock();
        }
    }

    /** The store has answered a release, or will not. */
    void released() {
        mutex.lock();
        try {
            releasing--;
        } finally {
            mutex.unlock();
        }
    }

    /** A hold was lost: there is nothing to tell the store. */
    void lost(Hold hold) {
        mutex.lock();
        try {
            holds = Few.without(holds, hold);
            if (open == hold) {
                open = null;
            }
        } finally {
            mutex.unlock();
        }
    }

    /** The lease that lies open, after the one it may lie for has left: it must be handed over again. */
    @Nullable
    Hold takeStranded() {
        mutex.lock();
        try {
            Hold stranded = open;
            open = null;
            return stranded;
        } finally {
            mutex.unlock();
        }
    }

    /** Whether somebody waits here for a turn. */
    boolean isAwaited() {
        mutex.lock();
        try {
            return head() != null;
        } finally {
            mutex.unlock();
        }
    }

    /** Whether this very grant is held here. */
    boolean holds(Grant grant) {
        mutex.lock();
        try {
            for (Hold hold : Few.<Hold>list(holds)) {
                if (hold.grants().contains(grant)) {
                    return true;
                }
            }
            return false;
        } finally {
            mutex.unlock();
        }
    }

    /** What is held here. */
    List<Hold> localHolds() {
        mutex.lock();
        try {
            return List.copyOf(Few.list(holds));
        } finally {
            mutex.unlock();
        }
    }

    /** Everyone who waits here. */
    List<Waiter> waiters() {
        List<Waiter> all = new ArrayList<>();
        addWaiters(all);
        return all;
    }

    /** Adds everyone who waits here. */
    void addWaiters(Collection<Waiter> all) {
        mutex.lock();
        try {
            if (asker != null) {
                all.add(asker);
            }
            if (place != null) {
                all.add(place.waiter);
            }
            if (queue != null) {
                all.addAll(queue);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Gives the gate up if nobody needs it. */
    boolean retire() {
        mutex.lock();
        try {
            retired = retired || (isIdle() && holds == null);
            return retired;
        } finally {
            mutex.unlock();
        }
    }

    private boolean isIdle() {
        return asker == null && place == null && open == null && releasing == 0 && head() == null;
    }

    /** Modes are checked against local holders first: asking the store would only tell us about ourselves. */
    private boolean admits(Claim claim) {
        if (holds == null) {
            return true;
        }
        if (claim.mode() == LockMode.EXCLUSIVE) {
            return false;
        }
        int permits = claim.permits();
        for (Hold hold : Few.<Hold>list(holds)) {
            Claim held = hold.claimOn(key);
            if (held.mode() != claim.mode()) {
                return false;
            }
            permits += held.permits();
        }
        return claim.mode() == LockMode.SHARED || permits <= claim.capacity();
    }

    private @Nullable Waiter head() {
        if (queue == null || queue.isEmpty()) {
            return null;
        }
        Iterator<Waiter> waiters = queue.iterator();
        return waiters.next();
    }

    private void removeFromQueue(Waiter waiter) {
        if (queue != null) {
            queue.remove(waiter);
        }
    }
}
