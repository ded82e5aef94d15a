package dev.interlock.lock;

import java.time.Duration;
import java.util.List;

/**
 * An event in the life of a lock, for metrics, traces and logs. A {@link LockListener} receives it.
 *
 * <p>Use {@link #type()} as a metric label, never the keys: there can be any number of them.
 *
 * @since 0.1.0
 */
public sealed interface LockEvent {
    /** Returns the keys of the request or lease, in the lock order. */
    List<LockKey> keys();

    /** Returns the lock type of the first key: the declared {@link LockType}, or the name up to its first colon. */
    String type();

    /**
     * A request began.
     *
     * @param keys the keys
     * @param type the lock type of the first key
     * @param mode the mode
     */
    record Attempted(List<LockKey> keys, String type, LockMode mode) implements LockEvent {}

    /**
     * A request was granted.
     *
     * @param keys the keys
     * @param type the lock type of the first key
     * @param mode the mode
     * @param waited how long the request waited
     * @param passedLocally whether the lock came from another request of this process, without a call to the store
     */
    record Granted(List<LockKey> keys, String type, LockMode mode, Duration waited, boolean passedLocally)
            implements LockEvent {}

    /**
     * A request ended without the lock.
     *
     * @param keys the keys
     * @param type the lock type of the first key
     * @param mode the mode
     * @param waited how long the request waited
     * @param why the reason
     */
    record Refused(List<LockKey> keys, String type, LockMode mode, Duration waited, Refusal why) implements LockEvent {}

    /**
     * A lease was extended.
     *
     * @param keys the keys
     * @param type the lock type of the first key
     * @param remaining how long the lease is valid now
     */
    record Renewed(List<LockKey> keys, String type, Duration remaining) implements LockEvent {}

    /**
     * A lease was lost.
     *
     * @param keys the keys
     * @param type the lock type of the first key
     * @param reason why it was lost
     * @param heldFor how long it was held
     */
    record Lost(List<LockKey> keys, String type, LossReason reason, Duration heldFor) implements LockEvent {}

    /**
     * A lease was closed.
     *
     * @param keys the keys
     * @param type the lock type of the first key
     * @param result the outcome of the release
     * @param heldFor how long the lease was held
     */
    record Released(List<LockKey> keys, String type, ReleaseResult result, Duration heldFor) implements LockEvent {}

    /**
     * A request that may wait asked for a key that comes before a key that its scope holds. {@link OrderPolicy} decides
     * what happens.
     *
     * @param keys the keys of the request
     * @param type the lock type of the first key
     * @param held the key that the scope holds
     * @param scope the name of the scope
     * @param refused whether the request was refused
     */
    record OrderViolated(List<LockKey> keys, String type, LockKey held, String scope, boolean refused)
            implements LockEvent {}

    /**
     * Locks were nested in a different order than before. Reported once per inversion; see {@link LearnedOrder}.
     *
     * @param keys the keys of the request
     * @param type the lock type of the first key
     * @param inversion the contradicting nestings
     */
    record OrderInverted(List<LockKey> keys, String type, LearnedOrder.Inversion inversion) implements LockEvent {}

    /**
     * A lease became unreachable without being closed.
     *
     * @param keys the keys
     * @param type the lock type of the first key
     * @param acquiredAt where the lease was acquired; empty unless {@link LeakTracing} recorded it
     */
    record Leaked(List<LockKey> keys, String type, List<StackTraceElement> acquiredAt) implements LockEvent {}

    /** Why a request ended without the lock. */
    enum Refusal {
        /** The lock stayed busy until the patience ended. */
        BUSY,
        /** The store did not answer. */
        STORE_UNAVAILABLE,
        /** The request violates the lock order, or its scope already holds the key. */
        ORDER,
        /** The wait was part of a deadlock and was ended to break it. */
        DEADLOCK,
        /** The store or the engine refused the request. */
        REFUSED,
        /** The thread was interrupted. */
        INTERRUPTED,
        /** The caller cancelled the request. */
        CANCELLED,
        /** The {@code Interlock} was closed. */
        CLOSED
    }
}
