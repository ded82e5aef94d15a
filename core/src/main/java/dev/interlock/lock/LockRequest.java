package dev.interlock.lock;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request for one or more locks: keys, mode, patience and lease length.
 *
 * <p>A request is immutable. Each setter returns a new request, so a request can be kept and used again. It calls the
 * store only when one of these methods is called: {@link #acquire}, {@link #tryAcquire}, {@link #acquireAsync},
 * {@link #run}, {@link #call} or {@link #tryRun}. The patience covers the whole wait: the local queue, the network and
 * all keys. A request for several keys gets all of them or none.
 *
 * <p><b>How a wait can end</b> without the lock, the same for all of these methods:
 * <ul>
 *   <li>The lock stayed busy until the patience ended: {@link LockTimeoutException}. The {@code try} methods return
 *       empty or false instead.
 *   <li>The wait was part of a deadlock and was ended to break it: {@link DeadlockException}, also from the {@code try}
 *       methods that wait.
 *   <li>The store did not answer: {@link StoreUnavailableException}, never "busy". It is thrown at once if the
 *       connection is refused or the circuit breaker is open, otherwise within the patience. The first answer of the
 *       store gets at least 50 ms.
 *   <li>The request was refused: {@link LockOrderException}, {@link AlreadyHeldException} or
 *       {@link LockRefusedException}.
 *   <li>The thread was interrupted: {@link LockInterruptedException}. The interrupt flag stays set.
 *   <li>The {@code Interlock} was closed: {@link InterlockClosedException}.
 * </ul>
 *
 * <p>A wait that has ended in one of these ways is never granted later.
 *
 * <p>Thread-safe. Only Interlock implements it.
 *
 * @param <H> {@link Lease} for one key, {@link LeaseSet} for several
 * @since 0.1.0
 */
public interface LockRequest<H extends Holding> {
    /** Sets the patience; see {@link LockSettings#waitAtMost(Duration)}. */
    LockRequest<H> waitAtMost(Duration patience);

    /** Sets the lease length; see {@link LockSettings#leaseFor(Duration)}. */
    LockRequest<H> leaseFor(Duration length);

    /** Sets whether the lease is renewed; see {@link LockSettings#renew(boolean)}. */
    LockRequest<H> renew(boolean keepAlive);

    /** Sets the renewal interval; see {@link LockSettings#renewEvery(Duration)}. */
    LockRequest<H> renewEvery(Duration interval);

    /** Sets the maximum hold; see {@link LockSettings#holdAtMost(Duration)}. */
    LockRequest<H> holdAtMost(Duration longest);

    /** Sets the lock-delay; see {@link LockSettings#lockDelay(Duration)}. */
    LockRequest<H> lockDelay(Duration grace);

    /** Requests the lock exclusively. This is the default. */
    LockRequest<H> exclusive();

    /** Requests the lock together with other shared holders. */
    LockRequest<H> shared();

    /**
     * Requests permits. All requests for a key should name the same capacity. A request that names a smaller one only
     * waits longer.
     *
     * @param permits the number of permits to hold, at least 1
     * @param capacity the total number of permits, at most 1 000 000
     */
    LockRequest<H> permits(int permits, int capacity);

    /**
     * Joins a hold of the same key in the same scope, if there is one, instead of failing with
     * {@link AlreadyHeldException}.
     *
     * <p>The new lease has the <em>same</em> token. The lock is released when the last of the joined leases is closed.
     * A shared request can join an exclusive hold, but not the other way round. Permits cannot be joined. A request for
     * several keys joins only if one lease already holds all of them; it is refused if only some are held.
     */
    LockRequest<H> reentrant();

    /** Uses this scope instead of the thread's own. */
    LockRequest<H> in(LockScope scope);

    /**
     * Interrupts the acquiring thread when the lease is lost.
     *
     * <p>The interrupt cannot hit later work: a lease that is closed first causes no interrupt, and {@code close()} on
     * the acquiring thread clears the interrupt if the work has not consumed it. {@link #acquireAsync()} refuses this
     * option.
     */
    LockRequest<H> interruptOnLoss();

    /**
     * Waits for the lock.
     *
     * @return the lease; the caller must close it
     * @throws LockTimeoutException if the lock stayed busy until the patience ended
     * @throws InterlockException in the other cases listed at {@link LockRequest}
     */
    H acquire();

    /**
     * Asks for the lock once, without waiting for its holder.
     *
     * @return the lease, which the caller must close. Empty only if the lock is busy: another request holds it, or
     *     another request of this process is just acquiring or releasing it
     * @throws InterlockException in the other cases listed at {@link LockRequest}
     */
    Optional<H> tryAcquire();

    /**
     * Waits for the lock at most for the given time.
     *
     * @return the lease, which the caller must close. Empty only if the lock stayed busy
     * @throws InterlockException in the other cases listed at {@link LockRequest}
     */
    Optional<H> tryAcquire(Duration patience);

    /** Starts to wait for the lock without blocking. The request belongs to no scope unless {@link #in} names one. */
    PendingLease<H> acquireAsync();

    /**
     * Waits for the lock, does the work and releases the lock. An exception of the work reaches the caller unchanged.
     */
    <E extends Exception> void run(LockedAction<? super H, E> work) throws E;

    /**
     * Waits for the lock, does the work, releases the lock and returns the result. An exception of the work reaches the
     * caller unchanged.
     */
    <T extends @Nullable Object, E extends Exception> T call(LockedFunction<? super H, T, E> work) throws E;

    /**
     * Asks for the lock once. If it is free, does the work and releases the lock.
     *
     * @return true if the work was done; false if the lock is busy
     */
    <E extends Exception> boolean tryRun(LockedAction<? super H, E> work) throws E;

    /**
     * Waits for the lock at most for the given time. If it becomes free, does the work and releases the lock.
     *
     * @return true if the work was done; false if the lock stayed busy
     */
    <E extends Exception> boolean tryRun(Duration patience, LockedAction<? super H, E> work) throws E;
}
