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
    private static final CompletableFuture<AttemptAnswer> LEFT = new CompletableFuture<>();

    private final Map<OwnerId, CompletableFuture<AttemptAnswer>> answers = new ConcurrentHashMap<>();

    void add(OwnerId id, CompletableFuture<AttemptAnswer> answer) {
        answers.put(id, answer);
    }

    /** It leaves, perhaps with others, and may have to be sent once more. */
    void leaves(OwnerId id) {
        answers.put(id, LEFT);
    }

    /** Whether it may be sent by itself: it was there, and is not any more. */
    boolean remove(OwnerId id) {
        return answers.remove(id) != null;
    }

    void withdraw(OwnerId id) {
        CompletableFuture<AttemptAnswer> answer = answers.remove(id);
        if (answer != null && answer != LEFT) {
            answer.completeExceptionally(withdrawn());
        }
    }

    static StoreException withdrawn() {
        return StoreException.notSent("The attempt was withdrawn before it was sent", null);
    }
}
