package dev.interlock.testkit.workers;

/**
 * The outcome of a worker's acquire.
 *
 * @since 0.1.0
 */
public sealed interface Acquired {
    /** The lock was granted. */
    record Granted(WorkerLease lease) implements Acquired {}

    /** The lock was not free within the patience. */
    record Busy() implements Acquired {}

    /** The store did not answer or could not be reached. */
    record Unavailable(String why) implements Acquired {}

    /** The acquire failed in another way. */
    record Failed(String why) implements Acquired {}

    /** Returns the lease, or throws if the lock was not granted. */
    default WorkerLease lease() {
        if (this instanceof Granted granted) {
            return granted.lease();
        }
        throw new AssertionError("The lock was not granted: " + this);
    }
}
