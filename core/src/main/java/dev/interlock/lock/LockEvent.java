package dev.interlock.lock;

import java.time.Duration;
import java.util.List;

/**
 * Something that happened to a lock, for metrics, tracing and logs.
 *
 * <p>{@link #type()} is meant as a metric label: the declared {@link LockType}, or the name up to its first colon.
 * Never label by key.
 */
public sealed interface LockEvent {
    /** The keys concerned, in the order in which they are taken. */
    List<LockKey> keys();

    /** The lock type of the first key. */
    String type();

    /** A request began. */
    record Attempted(List<LockKey> keys, String type, LockMode mode) implements LockEvent {}

    /** A request was granted after waiting this long; passed locally means without a store call. */
    record Granted(List<LockKey> keys, String type, LockMode mode, Duration waited, boolean passedLocally)
            implements LockEvent {}

    /** A request ended without the lock. */
    record Refused(List<LockKey> keys, String type, LockMode mode, Duration waited, Refusal why) implements LockEvent {}

    /** A lease was extended. */
    record Renewed(List<LockKey> keys, String type, Duration remaining) implements LockEvent {}

    /** A lease was lost while it was held. */
    record Lost(List<LockKey> keys, String type, LossReason reason, Duration heldFor) implements LockEvent {}

    /** A lease was closed. */
    record Released(List<LockKey> keys, String type, ReleaseResult result, Duration heldFor) implements LockEvent {}

    /** A scope waited, or would have waited, for a key that comes before one it holds. */
    record OrderViolated(List<LockKey> keys, String type, LockKey held, String scope, boolean refused)
            implements LockEvent {}

    /** Locks were nested in another order than before, for the first time; see {@link LearnedOrder}. */
    record OrderInverted(List<LockKey> keys, String type, LearnedOrder.Inversion inversion) implements LockEvent {}

    /** A lease object was dropped without being closed; the stack is empty unless this acquisition was sampled. */
    record Leaked(List<LockKey> keys, String type, List<StackTraceElement> acquiredAt) implements LockEvent {}

    /** Why a request ended without the lock. */
    enum Refusal {
        /** It stayed busy. */
        BUSY,
        /** The store did not answer. */
        STORE_UNAVAILABLE,
        /** Against the order, or held already by the same scope. */
        ORDER,
        /** It was part of a cycle of waits, and was given up for the others to go on. */
        DEADLOCK,
        /** The store or the engine refused. */
        REFUSED,
        /** The thread was interrupted. */
        INTERRUPTED,
        /** The caller cancelled. */
        CANCELLED,
        /** Interlock was closed. */
        CLOSED
    }
}
