package dev.interlock.testkit.faults;

import static dev.interlock.testkit.faults.FramingProbe.join;
import static dev.interlock.testkit.faults.Matching.anyPush;
import static dev.interlock.testkit.faults.Matching.anyReply;
import static dev.interlock.testkit.faults.Matching.pushContaining;
import static dev.interlock.testkit.faults.Matching.replyContaining;
import static dev.interlock.testkit.faults.Matching.request;
import static dev.interlock.testkit.faults.Matching.requestContaining;
import static dev.interlock.testkit.faults.TinyClient.command;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Faults that distinguish requests and replies, on a server that numbers the requests it processes. */
class RequestFaultTest {
    private final CountingRedis redis = new CountingRedis();
    private final FaultProxy proxy = FaultProxy.to("localhost", redis.port(), Framing.resp());
    private TinyClient client;

    @BeforeEach
    void connect() throws IOException {
        client = new TinyClient(proxy.port());
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        proxy.close();
        redis.close();
    }

    @Test
    void requestIsProcessedAndTheConnectionEndsBeforeItsReply() throws Exception {
        assertThat(client.ask("GET a")).isEqualTo(":1");
        try (Fault cut = proxy.cutBeforeReply(requestContaining("evalsha"))) {
            client.send("EVALSHA grant");
            assertThatExceptionOfType(EOFException.class).isThrownBy(client::read);
            cut.awaitActed(ofSeconds(10));
            assertThat(cut.lastActedOn()).contains(proxy.connection(1));
        }
        assertThat(redis.log()).containsExactly("GET a", "EVALSHA grant");
        assertThat(proxy.acted(FaultKind.CUT)).isEqualTo(1);
        try (TinyClient again = new TinyClient(proxy.port())) {
            assertThat(again.ask("EVALSHA grant")).isEqualTo(":3");
        }
    }

    @Test
    void repliesToEarlierRequestsOfAPipelineArriveBeforeTheCut() throws Exception {
        Fault cut = proxy.cutBeforeReply(requestContaining("EVALSHA"));
        client.write(join(command("GET a"), command("GET b"), command("EVALSHA c"), command("GET d")));
        assertThat(client.read()).isEqualTo(":1");
        assertThat(client.read()).isEqualTo(":2");
        assertThatExceptionOfType(EOFException.class).isThrownBy(client::read);
        assertThat(cut.acted()).isEqualTo(1);
    }

    @Test
    void pushIsNotTakenForTheReply() throws Exception {
        proxy.cutBeforeReply(requestContaining("PUBLISH"));
        client.send("PUBLISH news");
        assertThat(client.read()).startsWith("message");
        assertThatExceptionOfType(EOFException.class).isThrownBy(client::read);
    }

    @Test
    void onlyTheSwallowedReplyIsMissing() throws Exception {
        try (Fault swallow = proxy.swallowReply(requestContaining("release"))) {
            client.write(join(command("GET a"), command("RELEASE b"), command("GET c")));
            assertThat(client.read()).isEqualTo(":1");
            assertThat(client.read()).isEqualTo(":3");
            assertThat(swallow.acted()).isEqualTo(1);
        }
        assertThat(client.ask("RELEASE b")).isEqualTo(":4");
    }

    @Test
    void thirdReplyIsDropped() throws Exception {
        try (Fault drop = proxy.drop(anyReply().nth(3))) {
            client.write(join(command("A"), command("B"), command("C"), command("D")));
            assertThat(client.read()).isEqualTo(":1");
            assertThat(client.read()).isEqualTo(":2");
            assertThat(client.read()).isEqualTo(":4");
            assertThat(drop.acted()).isEqualTo(1);
        }
    }

    @Test
    void droppedRequestIsNeverProcessedAndCostsNoOtherItsReply() throws Exception {
        proxy.drop(requestContaining("lost"));
        Fault swallow = proxy.swallowReply(requestContaining("second"));
        client.write(join(command("LOST"), command("FIRST"), command("SECOND"), command("THIRD")));
        assertThat(client.read()).isEqualTo(":1");
        assertThat(client.read()).isEqualTo(":3");
        assertThat(redis.log()).containsExactly("FIRST", "SECOND", "THIRD");
        assertThat(swallow.acted()).isEqualTo(1);
    }

    @Test
    void connectionFallsSilentBeforeTheReply() throws Exception {
        Fault silence = proxy.silenceBeforeReply(requestContaining("EVALSHA"));
        client.send("EVALSHA a").send("GET b");
        silence.awaitActed(2, ofSeconds(10));
        assertThat(client.receivesNothing(100)).isTrue();
        assertThat(redis.log()).containsExactly("EVALSHA a", "GET b");
        silence.heal();
        assertThat(client.ask("GET c")).isEqualTo(":3");
    }

    @Test
    void onlyPushesAreDropped() throws Exception {
        try (Fault drop = proxy.drop(anyPush())) {
            client.send("SUBSCRIBE news").send("PUBLISH news");
            assertThat(client.read()).isEqualTo(":2");
            assertThat(client.ask("GET a")).isEqualTo(":3");
            assertThat(drop.acted()).isEqualTo(2);
        }
        client.send("PUBLISH news");
        assertThat(client.read()).startsWith("message");
        assertThat(client.read()).isEqualTo(":4");
    }

    @Test
    void pushDoesNotCountAsAReply() throws Exception {
        try (Fault drop = proxy.drop(anyReply().nth(1))) {
            client.send("PUBLISH news").send("GET a");
            assertThat(client.read()).startsWith("message");
            assertThat(client.read()).isEqualTo(":2");
            assertThat(drop.acted()).isEqualTo(1);
        }
    }

    @Test
    void pushesOfOneChannelAreDropped() throws Exception {
        try (Fault drop = proxy.drop(pushContaining("quiet"))) {
            client.send("PUBLISH quiet").send("PUBLISH loud");
            assertThat(client.read()).isEqualTo(":1");
            assertThat(client.read()).contains("loud");
            assertThat(client.read()).isEqualTo(":2");
            assertThat(drop.acted()).isEqualTo(1);
        }
    }

    @Test
    void repliesAreMatchedByTheirText() throws Exception {
        try (Fault drop = proxy.drop(replyContaining(":2"))) {
            client.send("A").send("B").send("C");
            assertThat(client.read()).isEqualTo(":1");
            assertThat(client.read()).isEqualTo(":3");
            assertThat(drop.acted()).isEqualTo(1);
        }
    }

    @Test
    void heldRequestArrivesAfterOthersOfAnotherClient() throws Exception {
        Fault hold = proxy.hold(requestContaining("release"));
        client.send("GET a").send("RELEASE old").send("GET b");
        assertThat(client.read()).isEqualTo(":1");
        hold.awaitActed(ofSeconds(10));
        try (TinyClient other = new TinyClient(proxy.port())) {
            assertThat(other.ask("GRANT new")).isEqualTo(":2");
        }
        hold.heal();
        assertThat(client.read()).isEqualTo(":3");
        assertThat(client.read()).isEqualTo(":4");
        assertThat(redis.log()).containsExactly("GET a", "GRANT new", "RELEASE old", "GET b");
    }

    @Test
    void heldRequestIsProcessedAfterItsClientIsGone() throws Exception {
        Fault hold = proxy.hold(requestContaining("release"));
        client.send("RELEASE old");
        hold.awaitActed(ofSeconds(10));
        client.abort();
        try (TinyClient other = new TinyClient(proxy.port())) {
            assertThat(other.ask("GRANT new")).isEqualTo(":1");
        }
        hold.heal();
        proxy.connection(1).awaitClosed(ofSeconds(10));
        assertThat(redis.log()).containsExactly("GRANT new", "RELEASE old");
    }

    @Test
    void clientIsCutOffAndItsRequestComesLate() throws Exception {
        Fault late = proxy.holdAndCut(requestContaining("release").nth(1));
        client.send("RELEASE old");
        assertThatExceptionOfType(EOFException.class).isThrownBy(client::read);
        try (TinyClient again = new TinyClient(proxy.port())) {
            assertThat(again.ask("RELEASE old")).isEqualTo(":1");
            assertThat(again.ask("GRANT new")).isEqualTo(":2");
            late.heal();
            late.lastActedOn().orElseThrow().awaitClosed(ofSeconds(10));
            assertThat(redis.log()).containsExactly("RELEASE old", "GRANT new", "RELEASE old");
            assertThat(again.ask("GET a")).isEqualTo(":4");
        }
        assertThat(proxy.acted(FaultKind.HOLD)).isEqualTo(1);
    }

    @Test
    void replayedRequestIsProcessedTwiceAndAnsweredOnce() throws Exception {
        try (Fault replay = proxy.replay(requestContaining("EVALSHA"))) {
            client.write(join(command("AUTH secret"), command("EVALSHA a"), command("GET b")));
            replay.awaitActed(ofSeconds(10));
            for (int replies = 0; replies < 3; replies++) {
                assertThat(client.read()).startsWith(":");
            }
            for (int requests = 0; requests < 5; requests++) {
                redis.next();
            }
            assertThat(redis.log())
                    .containsExactlyInAnyOrder("AUTH secret", "EVALSHA a", "GET b", "AUTH secret", "EVALSHA a");
            assertThat(client.receivesNothing(100)).isTrue();
        }
        assertThat(client.ask("EVALSHA c")).isEqualTo(":6");
        assertThat(proxy.acted(FaultKind.REPLAY)).isEqualTo(1);
    }

    @Test
    void recordedRequestIsReplayedOnDemand() throws Exception {
        try (Recording releases = proxy.record(requestContaining("RELEASE"))) {
            assertThat(client.ask("SELECT 5")).isEqualTo(":1");
            assertThat(client.ask("RELEASE one")).isEqualTo(":2");
            assertThat(client.ask("RELEASE two")).isEqualTo(":3");
            releases.awaitSize(2, ofSeconds(10));
            client.close();
            proxy.cut();
            assertThat(releases.replay(1, ofSeconds(10))).asString(US_ASCII).isEqualTo(":5\r\n");
            assertThat(redis.log())
                    .containsExactly("SELECT 5", "RELEASE one", "RELEASE two", "SELECT 5", "RELEASE one");
            assertThat(releases.replay(1, ofSeconds(10))).asString(US_ASCII).isEqualTo(":7\r\n");
            assertThat(proxy.acted(FaultKind.REPLAY)).isEqualTo(2);
        }
    }

    @Test
    void recordingEndsWhenItIsClosed() throws Exception {
        Recording recording = proxy.record(requestContaining("GET"));
        client.ask("GET a");
        recording.close();
        client.ask("GET b");
        assertThat(recording.size()).isEqualTo(1);
        redis.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> recording.replay(1, ofSeconds(10)))
                .withMessageContaining("not answered");
    }

    /** No fault applies to replays, not even their own: otherwise they would never end. */
    @Test
    void replaysAreNotReplayed() throws Exception {
        proxy.replay(requestContaining("A"));
        proxy.replay(requestContaining("A"));
        client.ask("A");
        assertThat(redis.next()).isEqualTo("A");
        assertThat(redis.next()).isEqualTo("A");
        assertThat(redis.next()).isEqualTo("A");
        assertThat(client.receivesNothing(100)).isTrue();
        assertThat(redis.log()).hasSize(3);
        assertThat(proxy.accepted()).isEqualTo(1);
    }

    @Test
    void faultOfOneConnectionIgnoresRequestsOfOthers() throws Exception {
        try (TinyClient other = new TinyClient(proxy.port())) {
            client.ask("GET a");
            Fault cut = proxy.awaitConnection(1, ofSeconds(10)).cutBeforeReply(requestContaining("EVALSHA"));
            assertThat(other.ask("EVALSHA b")).isEqualTo(":2");
            assertThat(cut.acted()).isZero();
            client.send("EVALSHA c");
            assertThatExceptionOfType(EOFException.class).isThrownBy(client::read);
        }
    }

    @Test
    void requestSplitOverManyReadsIsMatchedAsAWhole() throws Exception {
        Fault cut = proxy.cutBeforeReply(requestContaining("EVALSHA"));
        for (byte b : command("EVALSHA a")) {
            client.write(new byte[] {b});
        }
        assertThatExceptionOfType(EOFException.class).isThrownBy(client::read);
        assertThat(cut.acted()).isEqualTo(1);
        assertThat(proxy.connection(1).messages(Direction.TO_SERVER)).isEqualTo(1);
    }

    /** Without framing, the next bytes of the server count as the reply. */
    @Test
    void rawProxyCutsBeforeTheNextBytesOfTheServer() throws Exception {
        try (FaultProxy raw = FaultProxy.to("localhost", redis.port());
                TinyClient through = new TinyClient(raw.port())) {
            assertThat(through.ask("GET a")).isEqualTo(":1");
            raw.cutBeforeReply(requestContaining("EVALSHA"));
            assertThat(through.ask("GET b")).isEqualTo(":2");
            through.send("EVALSHA c");
            assertThatExceptionOfType(EOFException.class).isThrownBy(through::read);
            assertThat(redis.log()).containsExactly("GET a", "GET b", "EVALSHA c");
        }
    }

    @Test
    void closeReportsAnErrorOfAMatching() throws Exception {
        FaultProxy broken = FaultProxy.to("localhost", redis.port(), Framing.resp());
        broken.drop(request(bytes -> {
            throw new UnsupportedOperationException("matching");
        }));
        try (TinyClient through = new TinyClient(broken.port())) {
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> through.ask("GET a"));
        }
        assertThatIllegalStateException().isThrownBy(broken::close).withMessageContaining("matching");
    }

    @Test
    void faultsThatCouldNeverActAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.cutBeforeReply(anyReply()));
        assertThatIllegalArgumentException().isThrownBy(() -> requestContaining(""));
        assertThatIllegalArgumentException().isThrownBy(() -> requestContaining("Schloß"));
        assertThatIllegalArgumentException().isThrownBy(() -> anyReply().nth(0));
        try (FaultProxy raw = FaultProxy.to("localhost", redis.port())) {
            assertThatIllegalArgumentException().isThrownBy(() -> raw.drop(anyPush()));
        }
    }

    @Test
    void faultsOnDelayedRepliesKeepTheirOrder() throws Exception {
        try (Fault delay = proxy.delay(Direction.TO_CLIENT, ofMillis(50));
                Fault drop = proxy.drop(anyReply().nth(2))) {
            client.write(join(command("A"), command("B"), command("C")));
            assertThat(client.read()).isEqualTo(":1");
            assertThat(client.read()).isEqualTo(":3");
            assertThat(delay.acted()).isEqualTo(3);
            assertThat(drop.acted()).isEqualTo(1);
        }
    }
}
