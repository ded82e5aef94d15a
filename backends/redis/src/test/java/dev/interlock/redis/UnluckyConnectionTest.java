package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreException;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.faults.Direction;
import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.servers.RedisVersion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections that end, hang or lose their primary at an unlucky moment. */
@Tag("server")
class UnluckyConnectionTest {
    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");

    @RegisterExtension
    final RedisServer redis = RedisServer.own();

    @RegisterExtension
    final RedisServer six = RedisServer.own().version(RedisVersion.V6_2);

    private static Matching subscribing() {
        return Matching.request(
                bytes -> new String(bytes, StandardCharsets.US_ASCII).startsWith("*2\r\n$9\r\nSUBSCRIBE\r\n"));
    }

    private FaultProxy proxy() {
        return FaultProxy.to("127.0.0.1", redis.node().port(), Framing.resp());
    }

    /** The network recovers, but the connection that was being made during the outage never does. */
    @Test
    void connectionThatHangsInItsHandshakeIsAbandonedAfterTheSilenceLimit() throws Exception {
        try (FaultProxy proxy = proxy();
                BareProcess process = new BareProcess(RedisBackend.builder("redis://127.0.0.1:" + proxy.port())
                        .silenceLimit(Duration.ofSeconds(1))
                        .build())) {
            process.release(process.take(A).grant());
            // Connections that are made in the next 2 s never receive a reply.
            AtomicBoolean outage = new AtomicBoolean(true);
            proxy.onConnect(connection -> {
                if (outage.get()) {
                    connection.drop(Direction.TO_CLIENT);
                }
            });
            proxy.cut();
            CheckedRun.pass(Duration.ofSeconds(2));
            outage.set(false);
            await().atMost(Duration.ofSeconds(15)).ignoreExceptions().until(() -> {
                BareProcess.answer(
                        process.store()
                                .attempt(
                                        BareProcess.attempt(
                                                process.newId(), false, BareProcess.LONG, BareProcess.exclusive(A)),
                                        0),
                        Duration.ofSeconds(1));
                return true;
            });
        }
    }

    @Test
    void firstConnectionThatIsCutDuringItsHandshakeIsRetried() {
        try (FaultProxy proxy = proxy();
                Fault cut =
                        proxy.cutBeforeReply(Matching.requestContaining("INFO").nth(1));
                BareProcess process = new BareProcess(RedisBackend.connect("redis://127.0.0.1:" + proxy.port()))) {
            assertThat(cut.acted()).isEqualTo(1);
            process.release(process.take(A).grant());
        }
    }

    /** Only the reply to SUBSCRIBE is missing. */
    @Test
    void queueingAttemptsDoNotHangOnAnUnansweredSubscription() {
        try (FaultProxy proxy = proxy();
                Fault silent = proxy.hold(subscribing());
                BareProcess process = new BareProcess(RedisBackend.builder("redis://127.0.0.1:" + proxy.port())
                        .silenceLimit(Duration.ofSeconds(1))
                        .build())) {
            AttemptAnswer answer = BareProcess.answer(
                    process.store()
                            .attempt(
                                    BareProcess.attempt(
                                            process.newId(), true, BareProcess.LONG, BareProcess.exclusive(A)),
                                    0),
                    Duration.ofSeconds(10));
            assertThat(silent.acted()).isPositive();
            assertThat(answer).isInstanceOf(AttemptAnswer.All.class);
        }
    }

    @Test
    void unansweredSubscriptionIsMadeAgain() {
        try (FaultProxy proxy = proxy();
                BareProcess holder = new BareProcess(RedisBackend.connect(redis.uri()));
                BareProcess process = new BareProcess(RedisBackend.builder("redis://127.0.0.1:" + proxy.port())
                        .silenceLimit(Duration.ofSeconds(1))
                        .build())) {
            process.queue(process.newId(), BareProcess.exclusive(B));
            Fault silent = proxy.hold(subscribing().nth(1));
            redis.command("CLIENT", "KILL", "TYPE", "pubsub");
            silent.awaitActed(Duration.ofSeconds(5));
            Granted held = holder.take(A);
            process.queue(process.newId(), BareProcess.exclusive(A));
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> redis.command("PUBSUB", "CHANNELS", "interlock:push:*")
                                    .lines()
                                    .count()
                            == 2);
            holder.release(held.grant());
            await().atMost(Duration.ofSeconds(5)).until(() -> !process.pushed.isEmpty());
        }
    }

    /** Redis 6.2 wraps the error of a command inside a script: -ERR Error running script (…): -READONLY … */
    @Test
    void demotedServerOfTheOldestVersionFailsAsNotSent() {
        try (BareProcess process = new BareProcess(RedisBackend.connect(six.uri()))) {
            process.release(process.take(A).grant());
            six.command("REPLICAOF", "127.0.0.1", Integer.toString(redis.node().port()));
            Throwable error = catchThrowable(() -> process.take(A));
            assertThat(((StoreException) error).kind()).isEqualTo(StoreException.Kind.NOT_SENT);
        }
    }

    @Test
    void outOfMemoryOnTheOldestVersionFailsAsNotSent() {
        try (BareProcess process = new BareProcess(RedisBackend.connect(six.uri()))) {
            six.command("CONFIG", "SET", "maxmemory", "1");
            Throwable error = catchThrowable(() -> process.take(A));
            assertThat(((StoreException) error).kind()).isEqualTo(StoreException.Kind.NOT_SENT);
        }
    }

    @Test
    void outOfMemoryFailsAsNotSent() {
        try (BareProcess process = new BareProcess(RedisBackend.connect(redis.uri()))) {
            redis.command("CONFIG", "SET", "maxmemory", "1");
            Throwable error = catchThrowable(() -> process.take(A));
            assertThat(((StoreException) error).kind()).isEqualTo(StoreException.Kind.NOT_SENT);
        }
    }
}
