package dev.interlock.lock;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A unit of work whose locks are checked together for lock order, re-entry and deadlocks.
 *
 * <p>Each thread has a scope of its own, which its blocking calls use. For work that spans several threads, or is
 * asynchronous, create a scope with {@link Locks#newScope(String)}. Then either name it in the request
 * ({@link LockRequest#in}) or bind a thread to it for the duration of a call ({@link #run}).
 *
 * <p>Thread-safe. Only Interlock implements it.
 *
 * @since 0.1.0
 */
public interface LockScope {
    /** Returns the name, for messages. */
    String name();

    /** Returns the keys that this scope holds now, in the lock order. */
    List<LockKey> held();

    /** Runs the action with this scope instead of the thread's own. */
    <E extends Exception> void run(ScopedAction<E> action) throws E;

    /** Calls the function with this scope instead of the thread's own, and returns its result. */
    <T extends @Nullable Object, E extends Exception> T call(ScopedFunction<T, E> function) throws E;

    /**
     * Work that runs in a scope.
     *
     * @param <E> the exception that the work may throw
     */
    @FunctionalInterface
    interface ScopedAction<E extends Exception> {
        /** Does the work. */
        void run() throws E;
    }

    /**
     * Work with a result that runs in a scope.
     *
     * @param <T> the result
     * @param <E> the exception that the work may throw
     */
    @FunctionalInterface
    interface ScopedFunction<T extends @Nullable Object, E extends Exception> {
        /** Does the work and returns its result. */
        T call() throws E;
    }
}
