package dev.interlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.Surroundings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LineTest {
    private final Line line = new Line(Runnable::run);
    private final List<String> heard = new ArrayList<>();
    private final List<String> carriedOut = new ArrayList<>();
    private final StoreListener store = line.through(new Ears()).listener();

    @Test
    void carriesRequestsAnswersAndPushes() {
        assertThat(send("a").toCompletableFuture()).isCompletedWithValue("answer to a");
        store.maybeFree(LockKey.of("k"));
        store.sessionLost(LossReason.SESSION_LOST);
        assertThat(heard).containsExactly("free k", "lost SESSION_LOST");
    }

    @ParameterizedTest
    @EnumSource(Outage.class)
    void cutCarriesNoPushAndSaysSoWhenMended(Outage kind) {
        line.cut(kind);
        store.maybeFree(LockKey.of("k"));
        store.reconnected();
        assertThat(heard).isEmpty();
        line.mend();
        line.mend();
        assertThat(heard).as("once").containsExactly("reconnected");
    }

    @Test
    void refusedRequestIsKnownNotToHaveBeenCarriedOut() {
        line.cut(Outage.REFUSED);
        assertThat(failure(send("a"))).isEqualTo(StoreException.Kind.NOT_SENT);
        assertThat(carriedOut).isEmpty();
    }

    @Test
    void silentRequestIsNeverAnsweredNotEvenAfterwards() {
        line.cut(Outage.SILENT);
        CompletableFuture<String> swallowed = send("a").toCompletableFuture();
        line.mend();
        assertThat(swallowed).isNotDone();
        assertThat(send("b").toCompletableFuture()).isCompleted();
        assertThat(carriedOut).containsExactly("b");
    }

    @Test
    void requestWhoseAnswerIsLostIsCarriedOutAndUnknown() {
        line.cut(Outage.ANSWERS_LOST);
        assertThat(failure(send("a"))).isEqualTo(StoreException.Kind.UNKNOWN);
        assertThat(carriedOut).containsExactly("a");
    }

    @Test
    void kindIsAskedFor() {
        assertThatThrownBy(() -> line.cut(null)).hasMessageContaining("REFUSED, SILENT or ANSWERS_LOST");
    }

    private CompletionStage<String> send(String request) {
        return line.send(() -> {
            carriedOut.add(request);
            return CompletableFuture.completedFuture("answer to " + request);
        });
    }

    private static StoreException.Kind failure(CompletionStage<String> stage) {
        try {
            throw new AssertionError("Answered: " + stage.toCompletableFuture().join());
        } catch (CompletionException failed) {
            return ((StoreException) failed.getCause()).kind();
        }
    }

    /** An engine of which only the ear is there. */
    private final class Ears implements StoreContext, StoreListener {
        @Override
        public StoreListener listener() {
            return this;
        }

        @Override
        public void granted(Granted granted) {
            heard.add("granted " + granted.grant().key());
        }

        @Override
        public void maybeFree(LockKey key) {
            heard.add("free " + key);
        }

        @Override
        public void sessionLost(LossReason reason) {
            heard.add("lost " + reason);
        }

        @Override
        public void reconnected() {
            heard.add("reconnected");
        }

        @Override
        public Executor ordinary() {
            return Runnable::run;
        }

        @Override
        public Executor urgent() {
            return Runnable::run;
        }

        @Override
        public Surroundings surroundings() {
            throw new UnsupportedOperationException();
        }
    }
}
