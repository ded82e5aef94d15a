package dev.interlock.lock;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks. This is where an application starts.
 *
 * <pre>{@code
 * try (Lease lease = locks.acquire(LockKey.of("inventory", "sku-1"))) {
 *     // the lock is held here; send lease.token() along with each write
 * }
 * }</pre>
 *
 * <p>The short methods use the settings of the key's lock type. {@link #with(LockKey)} gives access to all options, and
 * {@link #with(Collection)} acquires several keys, in the lock order. {@link LockRequest} describes how a wait can end,
 * and {@link Holding} what happens on expiry, interruption and a lost connection while a lock is held.
 *
 * <p>Thread-safe. Keep one object for the life of the application. Only Interlock implements it.
 *
 * @since 0.1.0
 */
public interface Locks {
    /** Returns a request for one key. */
    LockRequest<Lease> with(LockKey key);

    /**
     * Returns a request for several keys, given in any order. Duplicates count once.
     *
     * @throws IllegalArgumentException if there are no keys, or more than 1024
     */
    LockRequest<LeaseSet> with(Collection<LockKey> keys);

    /** Waits for the lock; see {@link LockRequest#acquire()}. The caller must close the lease. */
    default Lease acquire(LockKey key) {
        return with(key).acquire();
    }

    /**
     * Asks for the lock once; empty only if it is busy. See {@link LockRequest#tryAcquire()}. The caller must close the
     * lease.
     */
    default Optional<Lease> tryAcquire(LockKey key) {
        return with(key).tryAcquire();
    }

    /**
     * Waits for the lock at most for the given time; empty only if it stayed busy. See
     * {@link LockRequest#tryAcquire(Duration)}. The caller must close the lease.
     */
    default Optional<Lease> tryAcquire(LockKey key, Duration patience) {
        return with(key).tryAcquire(patience);
    }

    /** Starts to wait for the lock without blocking; see {@link LockRequest#acquireAsync()}. */
    default PendingLease<Lease> acquireAsync(LockKey key) {
        return with(key).acquireAsync();
    }

    /** Waits for the lock, does the work and releases the lock. */
    default <E extends Exception> void run(LockKey key, LockedAction<? super Lease, E> work) throws E {
        with(key).run(work);
    }

    /** Waits for the lock, does the work, releases the lock and returns the result. */
    default <T extends @Nullable Object, E extends Exception> T call(
            LockKey key, LockedFunction<? super Lease, T, E> work) throws E {
        return with(key).call(work);
    }

    /**
     * Asks for the lock once. If it is free, does the work and releases the lock.
     *
     * @return true if the work was done; false if the lock is busy
     */
    default <E extends Exception> boolean tryRun(LockKey key, LockedAction<? super Lease, E> work) throws E {
        return with(key).tryRun(work);
    }

    /**
     * Waits for the lock at most for the given time. If it becomes free, does the work and releases the lock.
     *
     * @return true if the work was done; false if the lock stayed busy
     */
    default <E extends Exception> boolean tryRun(LockKey key, Duration patience, LockedAction<? super Lease, E> work)
            throws E {
        return with(key).tryRun(patience, work);
    }

    /**
     * Returns the key as a {@link Lock} that is owned by a thread and re-entrant, for code that needs this interface.
     *
     * <p>{@code lock()} throws {@link LockTimeoutException} when the patience of the lock type ends, since no request
     * waits for ever. {@code unlock()} throws {@link IllegalMonitorStateException} if the thread does not hold the
     * lock. If the lease was lost, {@code unlock()} ends the ownership of the thread and then throws
     * {@link LeaseLostException}. Conditions are not supported.
     */
    Lock asLock(LockKey key);

    /** Returns the scope of the calling thread. */
    LockScope currentScope();

    /**
     * Returns an executor that runs each task in the scope of the thread that submits it. Lock order and deadlocks are
     * then checked across both threads.
     */
    Executor carryingScope(Executor executor);

    /**
     * Returns an executor service that runs each task in the scope of the thread that submits it. Shutting it down
     * shuts down the given one.
     */
    ExecutorService carryingScope(ExecutorService executor);

    /**
     * Returns an executor that runs each task after a pause, by the clock of this {@code Interlock}, on one thread for
     * all such tasks. Tasks must not block. A task that is not due when the {@code Interlock} is closed does not run.
     *
     * @param pause at most {@link LockSettings#MAX_LEASE}
     */
    Executor delayedExecutor(Duration pause);

    /** Returns the orders in which locks have been nested so far, and where they contradict each other. */
    LearnedOrder learnedOrder();

    /**
     * Reads the long waits of all processes from the store, and returns which waits block each other.
     *
     * @throws StoreUnavailableException if the store does not answer
     */
    WaitForGraph waitForGraph();

    /** Returns a new scope for work that spans several threads or is asynchronous. */
    LockScope newScope(String name);
}
