package dev.interlock.testkit.workers;

import dev.interlock.lock.LockKey;
import java.time.Duration;

/**
 * A worker's request for a lock.
 *
 * @param key the key to lock, which is also the key of the protected resource; see {@link #UNFENCED}
 * @param leaseFor the length of the lease
 * @param waitAtMost the patience; zero tries once
 * @param renew whether the lease is renewed
 * @since 0.1.0
 */
public record WorkerRequest(LockKey key, Duration leaseFor, Duration waitAtMost, boolean renew) {
    /** Keys of this type are kept by the unfenced twin, all others by the fenced resource. */
    public static final String UNFENCED = "unfenced";

    /** A request for this key whose lease is renewed. */
    public static WorkerRequest of(LockKey key, Duration leaseFor, Duration waitAtMost) {
        return new WorkerRequest(key, leaseFor, waitAtMost, true);
    }

    /** Returns the same request without renewal. */
    public WorkerRequest unrenewed() {
        return new WorkerRequest(key, leaseFor, waitAtMost, false);
    }

    static boolean isUnfenced(String key) {
        return key.startsWith(UNFENCED + ":");
    }

    WorkerMessage writeTo(WorkerMessage message) {
        return message.with("key", key.name())
                .with("lease", leaseFor)
                .with("wait", waitAtMost)
                .with("renew", renew);
    }

    static WorkerRequest readFrom(WorkerMessage message) {
        return new WorkerRequest(
                LockKey.of(message.text("key")),
                message.duration("lease"),
                message.duration("wait"),
                message.yes("renew"));
    }
}
