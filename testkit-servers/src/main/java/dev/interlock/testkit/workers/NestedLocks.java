package dev.interlock.testkit.workers;

import dev.interlock.lock.LockKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Several locks of one scope, acquired one inside the other in the given order, or all in one request.
 *
 * @param keys the keys to lock
 * @param together whether all are acquired in one request
 * @param leaseFor the length of each lease, which is renewed
 * @param patience how long to wait for each
 * @param dwell how long the worker works after each grant
 * @since 0.1.0
 */
public record NestedLocks(List<LockKey> keys, boolean together, Duration leaseFor, Duration patience, Duration dwell) {
    /** Copies the list. */
    public NestedLocks {
        keys = List.copyOf(keys);
    }

    /** Returns the same locks, acquired in one request. */
    public NestedLocks inOneRequest() {
        return new NestedLocks(keys, true, leaseFor, patience, dwell);
    }

    /** How it ended. */
    public enum Outcome {
        /** All locks were acquired and released. */
        DONE,
        /** A wait was ended to break a deadlock. */
        DEADLOCK,
        /** The acquire violated the lock order and was refused. */
        ORDER,
        /** One lock was not free within the patience. */
        BUSY,
        /** The store could not be reached, or a lease was lost. */
        FAILED
    }

    /**
     * The report of a nest.
     *
     * @param outcome how it ended
     * @param waited how long the last wait took
     * @param detail further details, for messages
     */
    public record Report(Outcome outcome, Duration waited, String detail) {
        WorkerMessage writeTo(WorkerMessage message) {
            return message.with("outcome", outcome).with("waited", waited).with("detail", detail);
        }

        static Report readFrom(WorkerMessage message) {
            return new Report(
                    Outcome.valueOf(message.text("outcome")), message.duration("waited"), message.text("detail"));
        }
    }

    WorkerMessage writeTo(WorkerMessage message) {
        return message.with("keys", keys.stream().map(LockKey::name).collect(Collectors.joining("\n")))
                .with("together", together)
                .with("lease", leaseFor)
                .with("wait", patience)
                .with("dwell", dwell);
    }

    static NestedLocks readFrom(WorkerMessage message) {
        return new NestedLocks(
                Arrays.stream(message.text("keys").split("\n")).map(LockKey::of).toList(),
                message.yes("together"),
                message.duration("lease"),
                message.duration("wait"),
                message.duration("dwell"));
    }
}
