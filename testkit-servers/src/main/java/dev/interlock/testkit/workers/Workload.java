package dev.interlock.testkit.workers;

import java.time.Duration;
import java.util.List;

/**
 * Critical sections in a loop: which keys, how many threads, and how long each step takes at most.
 *
 * <p>Patience and pauses are random up to the given length, derived from the seed; a tenth of the acquires try once.
 * Immutable.
 *
 * @param threads how many threads in each worker
 * @param keys the names of the keys; see {@link WorkerRequest#UNFENCED}
 * @param leaseFor the length of every lease, which is renewed
 * @param patience the longest wait
 * @param pause the longest time between read and write
 * @param raise whether the token is shown before the read
 * @param checksLease whether the worker does not write after a loss
 * @param seed the seed of the random numbers; each worker and thread derives its own from it
 * @since 0.1.0
 */
public record Workload(
        int threads,
        List<String> keys,
        Duration leaseFor,
        Duration patience,
        Duration pause,
        boolean raise,
        boolean checksLease,
        long seed) {
    /** Copies the list and rejects a workload without threads or keys. */
    public Workload {
        keys = List.copyOf(keys);
        if (threads < 1 || keys.isEmpty()) {
            throw new IllegalArgumentException(
                    threads + " threads with " + keys.size() + " keys do nothing: give at least one of each");
        }
    }

    WorkerMessage writeTo(WorkerMessage message) {
        return message.with("threads", threads)
                .with("keys", String.join("\n", keys))
                .with("lease", leaseFor)
                .with("wait", patience)
                .with("pause", pause)
                .with("raise", raise)
                .with("checksLease", checksLease)
                .with("seed", seed);
    }

    static Workload readFrom(WorkerMessage message) {
        return new Workload(
                message.count("threads"),
                List.of(message.text("keys").split("\n")),
                message.duration("lease"),
                message.duration("wait"),
                message.duration("pause"),
                message.yes("raise"),
                message.yes("checksLease"),
                message.number("seed"));
    }
}
