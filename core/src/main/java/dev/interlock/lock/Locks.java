package dev.interlock.lock;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * What an application calls to acquire.
 *
 * <p>The short forms here use the defaults for the key's type; {@link #with(LockKey)} opens every option, and
 * {@link #with(Collection)} takes several keys at once, in the one global order. {@link LockRequest} says how a wait
 * can end, {@link Lease} what holds while a lock is held.
 *
 * <p>Thread-safe; keep one for the life of the application. Not meant to be implemented outside Interlock.
 */
public interface Locks {
    /** A request for one key. */
    LockRequest<Lease> with(LockKey key);

    /**
     * A request for several keys, listed in any order; duplicates count once.
     *
     * @throws IllegalArgumentException if there is none, or more than 1024
     */
    LockRequest<LeaseSet> with(Collection<LockKey> keys);

    /** Waits for the lock; throws when it stays busy. */
    default Lease acquire(LockKey key) {
        return with(key).acquire();
    }

    /** Asks once; empty means someone else has it, and nothing else. */
    default Optional<Lease> tryAcquire(LockKey key) {
        return with(key).tryAcquire();
    }

    /** Waits for at most the given time; empty means it stayed busy. */
    default Optional<Lease> tryAcquire(LockKey key, Duration patience) {
        return with(key).tryAcquire(patience);
    }

    /** Starts waiting for the lock without blocking. */
    default PendingLease<Lease> acquireAsync(LockKey key) {
        return with(key).acquireAsync();
    }

    /** Waits for the lock, does the work and releases. */
    default <E extends Exception> void run(LockKey key, LockedAction<? super Lease, E> work) throws E {
        with(key).run(work);
    }

    /** Waits for the lock, does the work, releases and gives its result. */
    default <T extends @Nullable Object, E extends Exception> T call(
            LockKey key, LockedFunction<? super Lease, T, E> work) throws E {
        return with(key).call(work);
    }

    /** Asks once; does the work and gives true, or gives false because someone else has the lock. */
    default <E extends Exception> boolean tryRun(LockKey key, LockedAction<? super Lease, E> work) throws E {
        return with(key).tryRun(work);
    }

    /** Waits for at most the given time; does the work and gives true, or gives false because it stayed busy. */
    default <E extends Exception> boolean tryRun(LockKey key, Duration patience, LockedAction<? super Lease, E> work)
            throws E {
        return with(key).tryRun(patience, work);
    }

    /**
     * The key as a {@link Lock} with thread ownership and re-entry, for code that is written against that interface.
     *
     * <p>{@code lock()} throws {@link LockTimeoutException} after the default patience, since nothing waits for ever.
     * {@code unlock()} throws {@link IllegalMonitorStateException} if the thread does not hold the lock, and
     * {@link LeaseLostException} if the lease was lost meanwhile, after giving up the thread's ownership. Conditions are
     * not supported.
     */
    Lock asLock(LockKey key);

    /** The scope of the calling thread. */
    LockScope currentScope();

    /**
     * An executor that runs each task in the scope of whoever hands it over, so that the order of nested locks is judged, and deadlocks are found, over both threads.
     */
    Executor carryingScope(Executor executor);

    /** An executor service that runs each task in the scope of whoever hands it over; it is shut down with the given one. */
    ExecutorService carryingScope(ExecutorService executor);

    /** In which order locks have been nested so far, and where two orders contradict each other. */
    LearnedOrder learnedOrder();

    /**
     * Who waits for whom, over all processes: the waits that have lasted a while, read from the store.
     *
     * @throws StoreUnavailableException if the store does not answer
     */
    WaitForGraph waitForGraph();

    /** A new scope for work that spans threads or is asynchronous. */
    LockScope newScope(String name);
}
