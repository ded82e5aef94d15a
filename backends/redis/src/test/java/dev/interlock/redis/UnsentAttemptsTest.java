package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.OwnerId;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.StoreException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A withdrawal completes an attempt only if it was never sent, and always prevents a later sending. */
@Tag("server")
class UnsentAttemptsTest {
    private static final Object SENDING = new Object();

    private final UnsentAttempts unsent = new UnsentAttempts();
    private final OwnerId id = new OwnerId("process", 1);
    private final CompletableFuture<AttemptAnswer> answer = new CompletableFuture<>();

    @Test
    void withdrawnWaitingAttemptFailsAsNotSentAndIsNeverSent() {
        unsent.waiting(id, answer);
        unsent.withdraw(id);
        assertThat(answer.handle((it, error) -> error).join())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.NOT_SENT));
        assertThat(unsent.remove(id, answer)).isFalse();
    }

    @Test
    void withdrawnBatchedAttemptIsNotSentAgain() {
        unsent.batched(id, SENDING);
        unsent.withdraw(id);
        assertThat(unsent.remove(id, SENDING)).isFalse();
    }

    @Test
    void batchedAttemptMayBeSentAgain() {
        unsent.batched(id, SENDING);
        assertThat(unsent.remove(id, SENDING)).isTrue();
    }

    @Test
    void lateReplyToAnEarlierSendingDoesNotAffectTheNewerOne() {
        Object earlier = new Object();
        unsent.batched(id, earlier);
        unsent.batched(id, SENDING);
        assertThat(unsent.remove(id, earlier)).isFalse();
        assertThat(unsent.remove(id, SENDING)).isTrue();
    }
}
