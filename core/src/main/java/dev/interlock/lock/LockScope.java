package dev.interlock.lock;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A unit of work, and what it holds; the order of nested locks and re-entry are judged within it.
 *
 * <p>Each thread has a scope of its own that its blocking calls join. Work that spans threads, or is asynchronous,
 * makes one with {@link Locks#newScope(String)} and either names it in the request ({@link LockRequest#in}) or
 * binds a thread to it for a while ({@link #run}).
 *
 * <p>Thread-safe. Not meant to be implemented outside Interlock.
 */
public interface LockScope {
    /** The name, for messages. */
    String name();

    /** The keys this scope holds now, in the global order. */
    List<LockKey> held();

    /** Runs the action with this scope in place of the thread's own. */
    <E extends Exception> void run(ScopedAction<E> action) throws E;

    /** Calls the function with this scope in place of the thread's own. */
    <T extends @Nullable Object, E extends Exception> T call(ScopedFunction<T, E> function) throws E;

    /** Work in a scope. */
    @FunctionalInterface
    interface ScopedAction<E extends Exception> {
        /** Does the work. */
        void run() throws E;
    }

    /** Work in a scope, with a result. */
    @FunctionalInterface
    interface ScopedFunction<T extends @Nullable Object, E extends Exception> {
        /** Does the work. */
        T call() throws E;
    }
}
