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
 * The queue of one key inside this process. Only one request at a time talks to the store about the key.
 *
 * <p>Invariants: at most one of {@code asker} and {@code place} is set; a request is in {@code queue}, is the
 * {@code asker}, is served by the {@code place}, or has left; an {@code open} hold is also in {@code holds}, and a
 * waiter is queued for it; every request in {@code queue} is parked or ended.
 *
 * <p>Pure state: no store calls, no clock. Each method is one step under the mutex and returns what its caller must
 * do next. The class is long because the steps of one state machine belong together. Thread-safe.
 */
final class Gate {
    /** The result of arriving at a gate. */
    enum Arrival {
        /** The request is the asker and may call the store. */
        ASK,
        /** The request is parked in the queue. */
        WAIT,
        /** The gate is not free, and the request must not queue. */
        NOT_FREE,
        /** The request has received the open hold, see {@link Waiter#receive}. */
        PASSED,
        /** The request was ended just before. */
        CUT_SHORT,
        /** The queue is full. */
        FULL,
        /** This gate is no longer in use: look it up again. */
        RETIRED
    }

    final LockKey key;
    private final boolean strictFifo;
    private final ReentrantLock mutex;
    // A set in order of arrival: removing a waiter from the middle of a long queue must be cheap.
    private @Nullable LinkedHashSet<Waiter> queue;
    private @Nullable Object holds; // OneOrMany
    private @Nullable Waiter asker;
    private @Nullable QueuePlace place;

    /** A hold whose holder has closed it, and which the first waiter takes when its thread is awake. */
    private @Nullable Hold open;

    /** Releases on their way to the store. The next waiter asks when they are answered. */
    private int releasing;

    private boolean retired;

    /**
     * @param mutex guards this gate and possibly others: no step involves two gates
     */
    Gate(LockKey key, boolean strictFifo, ReentrantLock mutex) {
        this.key = key;
        this.mutex = mutex;
        this.strictFifo = strictFifo;
    }

    /** A request arrives. The calling thread works on it. */
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
            if (queue.size() >= Protocol.MAX_WAITERS_PER_KEY) {
                return Arrival.FULL;
            }
            // Parked before it is visible in the queue: the thread that picks it must be able to take it up.
            if (!waiter.park()) {
                return Arrival.CUT_SHORT;
            }
            queue.add(waiter);
            return Arrival.WAIT;
        } finally {
            mutex.unlock();
        }
    }

    /** A running thread takes the open hold before the waiter that is still waking up. */
    private boolean barge(Waiter waiter, long nowNanos) {
        Waiter head = head();
        Hold offered = open;
        if (offered == null || head == null || head.barges >= Protocol.MAX_BARGES) {
            return false;
        }
        if (!waiter.takesPasses() || !offered.canPassTo(waiter, nowNanos)) {
            return false;
        }
        head.barges++;
        open = null;
        offered.passTo(waiter, nowNanos);
        return true;
    }

    /** The open hold that a woken request found, and whether the request has taken it. */
    record Opening(Hold hold, boolean taken) {}

    /** The first waiter is awake and takes the open hold. If it cannot, the caller must hand the hold over again. */
    @Nullable
    Opening takeOpen(Waiter waiter, long nowNanos) {
        mutex.lock();
        try {
            Hold offered = open;
            if (offered == null || head() != waiter) {
                return null;
            }
            // Not canPassTo: this pass was decided when the hold was opened, however long the thread took to wake up.
            boolean taken = offered.fits(waiter, nowNanos) && waiter.takeUp();
            open = null;
            if (taken) {
                removeFromQueue(waiter);
                offered.passTo(waiter, nowNanos);
            }
            return new Opening(offered, taken);
        } finally {
            mutex.unlock();
        }
    }

    /** The asker was granted the key. */
    void won(Waiter waiter, Hold hold) {
        mutex.lock();
        try {
            if (asker == waiter) {
                asker = null;
            }
            holds = OneOrMany.with(holds, hold);
        } finally {
            mutex.unlock();
        }
    }

    /** What became of the place that the asker got at the store. */
    enum Placing {
        /** The asker waits there. */
        PARKED,
        /** The asker was ended, and the next waiter has taken over the place. */
        TAKEN_OVER,
        /** The asker was ended and no waiter can use the place: it must be withdrawn. */
        ABANDONED
    }

    /** The asker got a place at the store and waits there. */
    Placing placed(Waiter waiter, QueuePlace newPlace) {
        mutex.lock();
        try {
            asker = null;
            if (waiter.park()) {
                place = newPlace;
                return Placing.PARKED;
            }
            Waiter successor = successorFor(newPlace.claim);
            if (successor == null) {
                return Placing.ABANDONED;
            }
            removeFromQueue(successor);
            newPlace.waiter = successor;
            place = newPlace;
            return Placing.TAKEN_OVER;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * The place is no longer needed: it was granted, the store forgot it, or it is time to poll again.
     *
     * @return the request that continues, taken up and now the asker; null if the place is no longer this gate's, or
     *     if no waiter is left and the one that gave up is about to withdraw the place
     */
    @Nullable
    Waiter leavePlace(QueuePlace left) {
        mutex.lock();
        try {
            if (place != left) {
                return null;
            }
            Waiter next = left.waiter;
            if (!next.takeUp()) {
                next = takeUpSuccessor(left.claim);
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

    private @Nullable Waiter takeUpSuccessor(Claim claim) {
        for (Waiter successor = successorFor(claim); successor != null; successor = successorFor(claim)) {
            removeFromQueue(successor);
            if (successor.takeUp()) {
                return successor;
            }
        }
        return null;
    }

    /** The first waiter, if it can use a place for the given claim. Later waiters would overtake it. */
    private @Nullable Waiter successorFor(Claim claim) {
        Waiter head = head();
        return head != null && head.wantsPlace() && head.currentClaim().sameKindAs(claim) ? head : null;
    }

    /** The asker stops asking: it failed, was refused, or goes back to an earlier key. */
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
     * The place of a request that left.
     *
     * @param abandoned the place if no waiter took it over: it must be withdrawn
     * @param takenOver the place if the next waiter took it over; a push may have found no waiter there just before
     */
    record Departure(
            @Nullable QueuePlace abandoned, @Nullable QueuePlace takenOver) {}

    private static final Departure NO_PLACE = new Departure(null, null);

    /** A parked request that was ended leaves. */
    Departure leave(Waiter waiter) {
        mutex.lock();
        try {
            QueuePlace served = place;
            if (served == null || served.waiter != waiter) {
                removeFromQueue(waiter);
                return NO_PLACE;
            }
            Waiter successor = successorFor(served.claim);
            if (successor == null) {
                place = null;
                return new Departure(served, null);
            }
            removeFromQueue(successor);
            served.waiter = successor;
            return new Departure(null, served);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Returns the next request if the gate is free for it, taken up, out of the queue and now the asker.
     *
     * <p>Must be called after every step that may have freed the gate.
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
                if (head.takeUp()) {
                    asker = head;
                    return head;
                }
            }
            return null;
        } finally {
            mutex.unlock();
        }
    }

    /** What happens to a hold whose last lease was closed. */
    sealed interface Handover {
        /** It was passed to this request, which is taken up and out of the queue. */
        record To(Waiter next) implements Handover {}

        /** It is open, and the thread of this request must be woken. */
        record Open(Waiter wake) implements Handover {}

        /** It must be released at the store. */
        record ToStore() implements Handover {}
    }

    private static final Handover TO_STORE = new Handover.ToStore();

    /** The last lease of a hold on this key alone was closed. */
    Handover handOver(Hold hold, long nowNanos) {
        mutex.lock();
        try {
            for (Waiter head = head(); head != null; head = head()) {
                if (!head.takesPasses() || !hold.canPassTo(head, nowNanos)) {
                    break;
                }
                if (!strictFifo && head.isThread() && head.barges < Protocol.MAX_BARGES) {
                    open = hold;
                    return new Handover.Open(head);
                }
                removeFromQueue(head);
                if (head.takeUp()) {
                    hold.passTo(head, nowNanos);
                    return new Handover.To(head);
                }
            }
            return TO_STORE;
        } finally {
            mutex.unlock();
        }
    }

    /** A hold ends and its release is on the way to the store. {@link #released} must follow. */
    void releasing(Hold hold) {
        mutex.lock();
        try {
            holds = OneOrMany.without(holds, hold);
            if (open == hold) {
                open = null;
            }
            releasing++;
        } finally {
            mutex.unlock();
        }
    }

    /** A release was answered, or its answer is lost. */
    void released() {
        mutex.lock();
        try {
            releasing--;
        } finally {
            mutex.unlock();
        }
    }

    /** A hold was lost; no release is sent. */
    void lost(Hold hold) {
        mutex.lock();
        try {
            holds = OneOrMany.without(holds, hold);
            if (open == hold) {
                open = null;
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Takes the open hold after its waiter has left. The caller must hand it over again. */
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

    /** Whether a request waits in the queue. */
    boolean hasWaiters() {
        mutex.lock();
        try {
            return head() != null;
        } finally {
            mutex.unlock();
        }
    }

    /** Whether exactly this grant is held here. */
    boolean holds(Grant grant) {
        mutex.lock();
        try {
            for (Hold hold : OneOrMany.<Hold>list(holds)) {
                if (hold.grants().contains(grant)) {
                    return true;
                }
            }
            return false;
        } finally {
            mutex.unlock();
        }
    }

    /** The holds on this key. */
    List<Hold> localHolds() {
        mutex.lock();
        try {
            return List.copyOf(OneOrMany.list(holds));
        } finally {
            mutex.unlock();
        }
    }

    /** All requests that wait here, the asker included. */
    List<Waiter> waiters() {
        List<Waiter> all = new ArrayList<>();
        addWaiters(all);
        return all;
    }

    /** Adds all requests that wait here, the asker included. */
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

    /** Retires the gate if it is not in use. */
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

    /** Whether local holders admit this claim. If not, the store would only report these holders as busy. */
    private boolean admits(Claim claim) {
        if (holds == null) {
            return true;
        }
        if (claim.mode() == LockMode.EXCLUSIVE) {
            return false;
        }
        int permits = claim.permits();
        for (Hold hold : OneOrMany.<Hold>list(holds)) {
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
