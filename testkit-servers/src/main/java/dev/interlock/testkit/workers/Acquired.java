package dev.interlock.testkit.workers;

/** What became of an acquire of a worker; outcomes never blur. */
public sealed interface Acquired {
    /** It was granted. */
    record Granted(WorkerLease lease) implements Acquired {}

    /** It stayed busy until the patience was over. */
    record Busy() implements Acquired {}

    /** The store did not answer, or cannot be reached. */
    record Unavailable(String why) implements Acquired {}

    /** It ended in another way. */
    record Failed(String why) implements Acquired {}

    /** The lease, for tests that cannot go on without one. */
    default WorkerLease lease() {
        if (this instanceof Granted granted) {
            return granted.lease();
        }
        throw new AssertionError("The lock was not granted: " + this);
    }
}
