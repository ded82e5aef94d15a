package dev.interlock.testkit.workers;

import java.time.Duration;
import java.util.List;

/**
 * Sections in a loop: which keys, how many threads, and how long each step takes at the most.
 *
 * <p>Patience and dawdling are random up to the given length, from the seed; a tenth of the acquires ask once. Immutable.
 *
 * @param threads how many threads in each worker
 * @param keys the names of the keys; see {@link Ask#UNFENCED}
 * @param leaseFor the length of every lease, kept alive
 * @param patience the longest wait
 * @param dawdle the longest time between read and write
 * @param raise whether the token is shown before the read
 * @param heed whether a lost lease keeps the worker from writing
 * @param seed where the random numbers begin; each worker and thread goes on from it in its own way
 */
public record Workload(
        int threads,
        List<String> keys,
        Duration leaseFor,
        Duration patience,
        Duration dawdle,
        boolean raise,
        boolean heed,
        long seed) {
    /** Copies the list and refuses a workload that does nothing. */
    public Workload {
        keys = List.copyOf(keys);
        if (threads < 1 || keys.isEmpty()) {
            throw new IllegalArgumentException(
                    threads + " threads with " + keys.size() + " keys do nothing: give at least one of each");
        }
    }

    Message writeTo(Message message) {
        return message.with("threads", threads)
                .with("keys", String.join("\n", keys))
                .with("lease", leaseFor)
                .with("wait", patience)
                .with("dawdle", dawdle)
                .with("raise", raise)
                .with("heed", heed)
                .with("seed", seed);
    }

    static Workload readFrom(Message message) {
        return new Workload(
                message.count("threads"),
                List.of(message.text("keys").split("\n")),
                message.duration("lease"),
                message.duration("wait"),
                message.duration("dawdle"),
                message.yes("raise"),
                message.yes("heed"),
                message.number("seed"));
    }
}
