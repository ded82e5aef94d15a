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
 */
final class Unsent {
    private final Map<OwnerId, CompletableFuture<AttemptAnswer>> answers = new ConcurrentHashMap<>();

    void add(OwnerId id, CompletableFuture<AttemptAnswer> answer) {
        answers.put(id, answer);
    }

    boolean has(OwnerId id) {
        return answers.containsKey(id);
    }

    /** Whether it may be sent: it was there, and is not any more. */
    boolean remove(OwnerId id) {
        return answers.remove(id) != null;
    }

    void withdraw(OwnerId id) {
        CompletableFuture<AttemptAnswer> answer = answers.remove(id);
        if (answer != null) {
            answer.completeExceptionally(StoreException.notSent("The attempt was withdrawn before it was sent", null));
        }
    }
}
