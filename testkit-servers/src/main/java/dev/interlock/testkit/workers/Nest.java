package dev.interlock.testkit.workers;

import dev.interlock.lock.LockKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Several locks of one scope, taken one inside the other in the order given, or all in one request.
 *
 * @param keys what to lock
 * @param together whether in one request
 * @param leaseFor the length of each lease, kept alive
 * @param patience how long to wait for each
 * @param dwell how long it works after each
 */
public record Nest(List<LockKey> keys, boolean together, Duration leaseFor, Duration patience, Duration dwell) {
    /** Copies the list. */
    public Nest {
        keys = List.copyOf(keys);
    }

    /** The same, in one request. */
    public Nest inOneRequest() {
        return new Nest(keys, true, leaseFor, patience, dwell);
    }

    /** How it ended. */
    public enum Outcome {
        /** It had all of them, and gave them back. */
        DONE,
        /** A wait of it was given up to end a deadlock. */
        DEADLOCK,
        /** It was refused, being against the order. */
        ORDER,
        /** One stayed busy. */
        BUSY,
        /** The store could not be reached, or a lease was lost. */
        FAILED
    }

    /**
     * What it came to.
     *
     * @param outcome how it ended
     * @param waited how long the last wait took
     * @param detail what was told, for messages
     */
    public record Report(Outcome outcome, Duration waited, String detail) {
        Message writeTo(Message message) {
            return message.with("outcome", outcome).with("waited", waited).with("detail", detail);
        }

        static Report readFrom(Message message) {
            return new Report(
                    Outcome.valueOf(message.text("outcome")), message.duration("waited"), message.text("detail"));
        }
    }

    Message writeTo(Message message) {
        return message.with("keys", keys.stream().map(LockKey::name).collect(Collectors.joining("\n")))
                .with("together", together)
                .with("lease", leaseFor)
                .with("wait", patience)
                .with("dwell", dwell);
    }

    static Nest readFrom(Message message) {
        return new Nest(
                Arrays.stream(message.text("keys").split("\n")).map(LockKey::of).toList(),
                message.yes("together"),
                message.duration("lease"),
                message.duration("wait"),
                message.duration("dwell"));
    }
}
