package dev.interlock.redis;

import dev.interlock.lock.OwnerId;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.StoreException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Attempts that wait inside this process before they are sent. A withdrawal must take them back: sent after it, they would be granted
 * to nobody.
 *
 * <p>One that has left with others, to take its lock if that is free, is not sent again by itself once it was withdrawn; but its answer is the
 * store's, and the withdrawal does not speak for it.
 */
final class Unsent {
    /** By attempt, the newest sending of it: a future that waits, or what has left. The same attempt may be asked once more while an answer is late. */
    private final Map<OwnerId, Object> sendings = new ConcurrentHashMap<>();

    /** It waits to be sent; if it is withdrawn, this is its answer. */
    void waits(OwnerId id, CompletableFuture<AttemptAnswer> answer) {
        sendings.put(id, answer);
    }

    /** It leaves, perhaps with others, and may have to be sent once more. */
    void leaves(OwnerId id, Object sending) {
        sendings.put(id, sending);
    }

    /** Whether this sending may be sent by itself: it was not withdrawn. It is forgotten here. */
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
