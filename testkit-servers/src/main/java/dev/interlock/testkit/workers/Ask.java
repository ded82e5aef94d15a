package dev.interlock.testkit.workers;

import dev.interlock.lock.LockKey;
import java.time.Duration;

/**
 * What a worker asks for when it takes a lock.
 *
 * @param key the lock, and the key of the resource that it protects; see {@link #UNFENCED}
 * @param leaseFor how long the right lasts without a renewal
 * @param waitAtMost the patience; zero asks once
 * @param renew whether it is kept alive
 */
public record Ask(LockKey key, Duration leaseFor, Duration waitAtMost, boolean renew) {
    /** Keys of this type are kept by the unfenced twin, all others by the fenced resource. */
    public static final String UNFENCED = "unfenced";

    /** Asks for this key and keeps it alive. */
    public static Ask of(LockKey key, Duration leaseFor, Duration waitAtMost) {
        return new Ask(key, leaseFor, waitAtMost, true);
    }

    /** The same without renewal. */
    public Ask unrenewed() {
        return new Ask(key, leaseFor, waitAtMost, false);
    }

    static boolean isUnfenced(String key) {
        return key.startsWith(UNFENCED + ":");
    }

    Message writeTo(Message message) {
        return message.with("key", key.name())
                .with("lease", leaseFor)
                .with("wait", waitAtMost)
                .with("renew", renew);
    }

    static Ask readFrom(Message message) {
        return new Ask(
                LockKey.of(message.text("key")),
                message.duration("lease"),
                message.duration("wait"),
                message.yes("renew"));
    }
}
