package dev.interlock.redis;

import dev.interlock.lock.OwnerId;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.StoreException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Attempts that this process may still have to send. A withdrawal must stop them: an attempt that is sent after its
 * withdrawal would leave an orphaned grant.
 *
 * <p>A batched attempt has already been sent, and may have to be sent again alone. A withdrawal prevents that second
 * sending, but it does not complete the attempt: the store's reply does.
 *
 * <p>Thread-safe.
 */
final class UnsentAttempts {
    /**
     * The newest sending of each attempt: the future of an attempt that waits, or the identity of a batched one. The
     * engine may repeat an attempt whose reply is late.
     */
    private final Map<OwnerId, Object> sendings = new ConcurrentHashMap<>();

    /** The attempt waits to be sent. A withdrawal fails its answer. */
    void waiting(OwnerId id, CompletableFuture<AttemptAnswer> answer) {
        sendings.put(id, answer);
    }

    /** The attempt joins a batch. It may have to be sent again alone. */
    void batched(OwnerId id, Object sending) {
        sendings.put(id, sending);
    }

    /** Forgets this sending. Returns whether it was not withdrawn, so that it may be sent. */
    boolean remove(OwnerId id, Object sending) {
        return sendings.remove(id, sending);
    }

    void withdraw(OwnerId id) {
        if (sendings.remove(id) instanceof CompletableFuture<?> answer) {
            answer.completeExceptionally(withdrawn());
        }
    }

    static StoreException withdrawn() {
        return StoreException.notSent("The attempt was withdrawn before it was sent", null);
    }
}
