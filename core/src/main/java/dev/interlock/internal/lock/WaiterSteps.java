package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Deadlock;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.Granted;

/**
 * The steps of a {@link Waiter} that other parts of the engine start, carried out by {@link GateWalk} and its
 * companions.
 */
interface WaiterSteps {
    /** Continues at the gate that admitted the request. */
    void goOn(Waiter waiter);

    /** Delivers the hold that was passed to the request. */
    void deliver(Waiter waiter);

    /** The store granted the key that the request waited for. */
    void placeWon(Waiter waiter, Granted granted, QueuePlace place);

    /** The grants collected so far were lost. */
    void prefixLost(Waiter waiter);

    /** The patience of the request is over. Called on the deadline thread. */
    void patienceOver(Waiter waiter, long nowNanos);

    /** The caller cancels the request. */
    void cancel(Waiter waiter);

    /** The engine is closed; true if this call ended the wait. */
    boolean close(Waiter waiter);

    /** The wait is the victim of a deadlock. */
    void giveUpFor(Waiter waiter, Deadlock deadlock);

    /** Another request of the same scope has got the key in the meantime. */
    void giveUpForOwn(Waiter waiter, LockKey key, EngineScope scope);
}
