package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.OwnerId;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.StoreException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A withdrawal speaks for an attempt only as long as nothing of it has been sent. */
class UnsentTest {
    private static final Object SENDING = new Object();

    private final Unsent unsent = new Unsent();
    private final OwnerId id = new OwnerId("process", 1);
    private final CompletableFuture<AttemptAnswer> answer = new CompletableFuture<>();

    @Test
    void withdrawnBeforeItLeftItIsAnsweredAsNotSentAndNeverSent() {
        unsent.waits(id, answer);
        unsent.withdraw(id);
        assertThat(answer.handle((it, error) -> error).join())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.NOT_SENT));
        assertThat(unsent.remove(id, answer)).isFalse();
    }

    @Test
    void withdrawnAfterItLeftItIsAnsweredByTheStoreAndNotSentOnceMore() {
        unsent.leaves(id, SENDING);
        unsent.withdraw(id);
        assertThat(unsent.remove(id, SENDING)).isFalse();
    }

    @Test
    void leftAndStillWantedItMayBeSentOnceMore() {
        unsent.leaves(id, SENDING);
        assertThat(unsent.remove(id, SENDING)).isTrue();
    }

    @Test
    void lateAnswerToAnEarlierSendingDoesNotSpeakForTheNewerOne() {
        Object earlier = new Object();
        unsent.leaves(id, earlier);
        unsent.leaves(id, SENDING);
        assertThat(unsent.remove(id, earlier)).isFalse();
        assertThat(unsent.remove(id, SENDING)).isTrue();
    }
}
