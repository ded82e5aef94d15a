package dev.interlock.lock;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keys, mode, how long to wait and how long to hold; immutable, so it can be kept and used again.
 *
 * <p>Each method that sets something gives a new request. Nothing is asked of a store before one of the verbs:
 * {@link #acquire}, {@link #tryAcquire}, {@link #acquireAsync}, {@link #run}, {@link #call}, {@link #tryRun}.
 * One total deadline covers the local queue, the network and all keys. Several keys are all got or none.
 *
 * <p><b>How a wait can end</b>, the same for every verb:
 * <ul>
 *   <li>busy until the patience was over: {@link LockTimeoutException}, or empty or false from the {@code try} verbs;
 *   <li>scopes waited for each other, and this wait was given up: {@link DeadlockException}, from the {@code try} verbs too, if they wait;
 *   <li>the store did not answer: {@link StoreUnavailableException}, never busy. At once if the connection is
 *       refused or the circuit is open, otherwise within the patience, which for the
 *       store's first answer is at least 50 ms;
 *   <li>refused: {@link LockOrderException}, {@link AlreadyHeldException}, {@link LockRefusedException};
 *   <li>the thread was interrupted: {@link LockInterruptedException}, and the interrupt flag stays set;
 *   <li>closed: {@link InterlockClosedException}.
 * </ul>
 * A wait that has ended in one of these ways is never granted later.
 *
 * <p>Not meant to be implemented outside Interlock.
 */
public interface LockRequest<H extends Holding> {
    /** See {@link LockSettings#waitAtMost(Duration)}. */
    LockRequest<H> waitAtMost(Duration patience);

    /** See {@link LockSettings#leaseFor(Duration)}. */
    LockRequest<H> leaseFor(Duration length);

    /** See {@link LockSettings#renew(boolean)}. */
    LockRequest<H> renew(boolean keepAlive);

    /** See {@link LockSettings#renewEvery(Duration)}. */
    LockRequest<H> renewEvery(Duration interval);

    /** See {@link LockSettings#holdAtMost(Duration)}. */
    LockRequest<H> holdAtMost(Duration longest);

    /** See {@link LockSettings#lockDelay(Duration)}. */
    LockRequest<H> lockDelay(Duration grace);

    /** Holds alone; the default. */
    LockRequest<H> exclusive();

    /** Holds together with other shared holders. */
    LockRequest<H> shared();

    /**
     * Holds some of a number of permits. Every request for a key should name the same capacity; one that names a
     * smaller capacity only waits longer.
     *
     * @param permits how many to hold, from 1
     * @param capacity how many there are in all, at most 1 000 000
     */
    LockRequest<H> permits(int permits, int capacity);

    /**
     * Joins a hold of the same key in the same scope instead of refusing, with the <em>same</em> token. The lock is
     * released when the last of the leases that share it is closed. An exclusive hold may be joined as shared, not the other way round;
     * permits cannot be joined. Several keys: all of them are held by one lease already, or none is.
     */
    LockRequest<H> reentrant();

    /** Takes part in this scope instead of the thread's own. */
    LockRequest<H> in(LockScope scope);

    /**
     * Interrupts the thread that acquired when the lease is lost. Decided by one step against closing, and cleared by
     * {@code close()} on that thread if the interrupt was not consumed, so it cannot hit later work. Refused by
     * {@link #acquireAsync()}.
     */
    LockRequest<H> interruptOnLoss();

    /** Waits for the lock; throws when it stays busy. */
    H acquire();

    /**
     * Asks once, without waiting for a holder; empty means someone else has it, or is just getting or releasing it in this
     * process, and nothing else.
     */
    Optional<H> tryAcquire();

    /** Waits for at most the given time; empty means it stayed busy. */
    Optional<H> tryAcquire(Duration patience);

    /** Starts waiting for the lock without blocking. Joins no scope unless {@link #in} names one. */
    PendingLease<H> acquireAsync();

    /** Waits for the lock, does the work and releases. What the work throws passes through. */
    <E extends Exception> void run(LockedAction<? super H, E> work) throws E;

    /** Waits for the lock, does the work, releases and gives its result. What the work throws passes through. */
    <T extends @Nullable Object, E extends Exception> T call(LockedFunction<? super H, T, E> work) throws E;

    /** Asks once; does the work and gives true, or gives false because someone else has the lock. */
    <E extends Exception> boolean tryRun(LockedAction<? super H, E> work) throws E;

    /** Waits for at most the given time; does the work and gives true, or gives false because it stayed busy. */
    <E extends Exception> boolean tryRun(Duration patience, LockedAction<? super H, E> work) throws E;
}
