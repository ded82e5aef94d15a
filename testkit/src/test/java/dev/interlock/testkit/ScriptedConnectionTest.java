package dev.interlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScriptedConnectionTest {
    private final ScriptedConnection connection = new ScriptedConnection(Runnable::run);
    private final List<String> received = new ArrayList<>();
    private final List<String> executed = new ArrayList<>();
    private final StoreListener store =
            connection.through(new RecordingEngine()).listener();

    @Test
    void deliversRequestsAnswersAndPushes() {
        assertThat(send("a").toCompletableFuture()).isCompletedWithValue("answer to a");
        store.maybeFree(LockKey.of("k"));
        store.sessionLost(LossReason.SESSION_LOST);
        assertThat(received).containsExactly("free k", "lost SESSION_LOST");
    }

    @ParameterizedTest
    @EnumSource(Outage.class)
    void cutConnectionDropsPushesAndReportsItsRestoration(Outage kind) {
        connection.cut(kind);
        store.maybeFree(LockKey.of("k"));
        store.reconnected();
        assertThat(received).isEmpty();
        connection.restore();
        connection.restore();
        assertThat(received).as("once").containsExactly("reconnected");
    }

    @Test
    void refusedRequestIsCertainlyNotExecuted() {
        connection.cut(Outage.REFUSED);
        assertThat(failure(send("a"))).isEqualTo(StoreException.Kind.NOT_SENT);
        assertThat(executed).isEmpty();
    }

    @Test
    void silentRequestIsNeverAnsweredEvenAfterTheRestoration() {
        connection.cut(Outage.SILENT);
        CompletableFuture<String> dropped = send("a").toCompletableFuture();
        connection.restore();
        assertThat(dropped).isNotDone();
        assertThat(send("b").toCompletableFuture()).isCompleted();
        assertThat(executed).containsExactly("b");
    }

    @Test
    void requestWhoseAnswerIsLostIsExecutedAndUnknown() {
        connection.cut(Outage.ANSWERS_LOST);
        assertThat(failure(send("a"))).isEqualTo(StoreException.Kind.UNKNOWN);
        assertThat(executed).containsExactly("a");
    }

    @Test
    void kindIsRequired() {
        assertThatThrownBy(() -> connection.cut(null)).hasMessageContaining("REFUSED, SILENT or ANSWERS_LOST");
    }

    private CompletionStage<String> send(String request) {
        return connection.send(() -> {
            executed.add(request);
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

    /** An engine that only records what it receives. */
    private final class RecordingEngine implements StoreContext, StoreListener {
        @Override
        public StoreListener listener() {
            return this;
        }

        @Override
        public void granted(Granted granted) {
            received.add("granted " + granted.grant().key());
        }

        @Override
        public void maybeFree(LockKey key) {
            received.add("free " + key);
        }

        @Override
        public void sessionLost(LossReason reason) {
            received.add("lost " + reason);
        }

        @Override
        public void reconnected() {
            received.add("reconnected");
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
        public Environment environment() {
            throw new UnsupportedOperationException();
        }
    }
}
