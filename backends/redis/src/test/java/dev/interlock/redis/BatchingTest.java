package dev.interlock.redis;

import static dev.interlock.redis.BareProcess.LONG;
import static dev.interlock.redis.BareProcess.answer;
import static dev.interlock.redis.BareProcess.attempt;
import static dev.interlock.redis.BareProcess.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Requests that arrive while the connection is busy share one call, and get the same answers as if each was sent alone.
 */
@Timeout(60)
@Tag("server")
class BatchingTest {
    @RegisterExtension
    static final RedisServer redis = RedisServer.own();

    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");
    private static final LockKey C = LockKey.of("c");
    private static final LockKey D = LockKey.of("d");

    private final String namespace = redis.namespace();
    private final BareProcess other = process();
    private BareProcess process = process();

    private BareProcess process() {
        return new BareProcess(
                RedisBackend.builder(redis.uri()).namespace(namespace).build());
    }

    /** An attempt that may queue first waits for the subscription, and is then not batched with others. */
    @BeforeEach
    void subscribe() {
        process.queue(process.newId(), exclusive(LockKey.of("first")));
    }

    @AfterEach
    void close() {
        process.close();
        other.close();
    }

    /** Runs the action while the connection's thread cannot encode, so that the requests in it form one batch. */
    private void inOneBatch(Runnable requests) {
        AtomicBoolean blocked = new AtomicBoolean();
        while (!blocked.get()) {
            Thread self = Thread.currentThread();
            CountDownLatch submitted = new CountDownLatch(1);
            CompletableFuture<Void> begun = new CompletableFuture<>();
            CompletionStage<?> any = process.store().withdraw(process.newId(), List.of(A));
            any.thenRun(() -> {
                blocked.set(Thread.currentThread() != self);
                begun.complete(null);
                if (blocked.get()) {
                    awaitQuietly(submitted);
                }
            });
            begun.join();
            if (blocked.get()) {
                requests.run();
                submitted.countDown();
            }
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletableFuture<AttemptAnswer> take(OwnerId id, LockKey... keys) {
        return process.store()
                .attempt(
                        attempt(
                                id,
                                true,
                                LONG,
                                Stream.of(keys).map(BareProcess::exclusive).toArray(Claim[]::new)),
                        0)
                .toCompletableFuture();
    }

    private static List<Granted> granted(CompletableFuture<AttemptAnswer> answer) {
        assertThat(answer(answer)).isInstanceOf(AttemptAnswer.All.class);
        return ((AttemptAnswer.All) answer(answer)).granted();
    }

    /** How many scripts have run. */
    private static long calls() {
        return redis.command("INFO", "commandstats")
                .lines()
                .filter(line -> line.matches("cmdstat_eval(sha)?:.*"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*[:,]calls=(\\d+),.*", "$1")))
                .sum();
    }

    @Test
    void freeLocksAndSetsAreTakenAndReleasedInOneCallEach() {
        CompletableFuture<?>[] answers = new CompletableFuture<?>[3];
        long[] before = new long[1];
        inOneBatch(() -> {
            before[0] = calls();
            answers[0] = take(process.newId(), A);
            answers[1] = take(process.newId(), B, C);
            answers[2] = take(process.newId(), D);
        });
        List<Granted> all =
                Stream.of(answers).flatMap(it -> granted(cast(it)).stream()).toList();
        assertThat(all).extracting(it -> it.grant().key()).containsExactly(A, B, C, D);
        assertThat(all.get(1).grant().number()).isEqualTo(all.get(2).grant().number());
        assertThat(all.get(0).grant().number()).isLessThan(all.get(1).grant().number());
        assertThat(all.get(2).grant().number()).isLessThan(all.get(3).grant().number());
        assertThat(calls() - before[0]).isEqualTo(1);

        CompletableFuture<?>[] ends = new CompletableFuture<?>[3];
        inOneBatch(() -> {
            before[0] = calls();
            ends[0] = release(all.get(0).grant());
            ends[1] = release(all.get(1).grant(), all.get(2).grant());
            ends[2] = release(new Grant(D, process.newId(), 7));
        });
        assertThat(answer(ends[0])).isEqualTo(List.of(ReleaseAnswer.RELEASED));
        assertThat(answer(ends[1])).isEqualTo(List.of(ReleaseAnswer.RELEASED, ReleaseAnswer.RELEASED));
        assertThat(answer(ends[2])).isEqualTo(List.of(ReleaseAnswer.NOT_HELD));
        assertThat(calls() - before[0]).isEqualTo(1);
        assertThat(redis.command("EXISTS", plain(A), plain(B), plain(C))).isEqualTo("0");
        assertThat(redis.command("EXISTS", plain(D))).isEqualTo("1");
    }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<AttemptAnswer> cast(CompletableFuture<?> answer) {
        return (CompletableFuture<AttemptAnswer>) answer;
    }

    private String plain(LockKey key) {
        return namespace + ":lock:" + key.name();
    }

    private CompletableFuture<List<ReleaseAnswer>> release(Grant... grants) {
        return process.store().release(List.of(grants), 0).toCompletableFuture();
    }

    @Test
    void attemptOnABusyLockQueuesAndTheOthersAreGranted() {
        Granted held = other.take(B);
        OwnerId waiting = process.newId();
        CompletableFuture<?>[] answers = new CompletableFuture<?>[3];
        inOneBatch(() -> {
            answers[0] = take(process.newId(), A);
            answers[1] = take(waiting, B, C);
            answers[2] = take(process.newId(), D);
        });
        granted(cast(answers[0]));
        granted(cast(answers[2]));
        assertThat(answer(answers[1])).isInstanceOf(AttemptAnswer.Queued.class);
        other.release(held.grant());
        assertThat(process.keepWaiting(waiting, B)).isInstanceOf(WaitAnswer.Won.class);
    }

    @Test
    void attemptsOnTheSameLockInOneBatchAreGrantedInTurn() {
        CompletableFuture<?>[] answers = new CompletableFuture<?>[2];
        inOneBatch(() -> {
            answers[0] = take(process.newId(), A, B);
            answers[1] = take(process.newId(), B, C);
        });
        granted(cast(answers[0]));
        assertThat(answer(answers[1])).isInstanceOf(AttemptAnswer.Queued.class);
        assertThat(redis.command("EXISTS", plain(C))).isEqualTo("0");
    }

    @Test
    void freeLockWithWaitersIsNotGrantedToABatchedAttempt() {
        Granted held = other.take(A);
        OwnerId first = other.newId();
        other.queue(first, exclusive(A));
        redis.command("DEL", plain(A)); // as if its lease had ended
        CompletableFuture<?>[] answers = new CompletableFuture<?>[2];
        inOneBatch(() -> {
            answers[0] = take(process.newId(), A);
            answers[1] = take(process.newId(), B);
        });
        assertThat(answer(answers[0])).isInstanceOf(AttemptAnswer.Queued.class);
        granted(cast(answers[1]));
        assertThat(other.keepWaiting(first, A)).isInstanceOf(WaitAnswer.Won.class);
        assertThat(other.release(held.grant())).isEqualTo(ReleaseAnswer.NOT_HELD);
    }

    @Test
    void attemptWithdrawnDuringItsBatchIsNotSentAgain() {
        other.take(B);
        OwnerId withdrawn = process.newId();
        CompletableFuture<?>[] answers = new CompletableFuture<?>[3];
        inOneBatch(() -> {
            answers[0] = take(process.newId(), A);
            answers[1] = take(withdrawn, B);
            answers[2] = process.store().withdraw(withdrawn, List.of(B)).toCompletableFuture();
        });
        granted(cast(answers[0]));
        assertThat(answer(answers[2])).isEqualTo(List.of());
        assertThat(catchThrowable(() -> answer(answers[1])))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.NOT_SENT));
        assertThat(redis.command("EXISTS", "{" + plain(B) + "}:q")).isEqualTo("0");
    }

    @Test
    void lostCounterIsRaisedForABatch() {
        long before = process.take(D).grant().number();
        redis.command("DEL", namespace + ":interlock:counter");
        CompletableFuture<?>[] answers = new CompletableFuture<?>[2];
        inOneBatch(() -> {
            answers[0] = take(process.newId(), A);
            answers[1] = take(process.newId(), B, C);
        });
        assertThat(granted(cast(answers[0])).get(0).grant().number()).isGreaterThan(before);
        assertThat(granted(cast(answers[1])))
                .allSatisfy(it -> assertThat(it.grant().number()).isGreaterThan(before));
    }

    @Test
    void quarantineRefusesAWholeBatch() {
        redis.command("SET", namespace + ":interlock:quarantine", "1", "PX", "60000");
        CompletableFuture<?>[] answers = new CompletableFuture<?>[2];
        inOneBatch(() -> {
            answers[0] = take(process.newId(), A);
            answers[1] = take(process.newId(), B, C);
        });
        for (CompletableFuture<?> answer : answers) {
            assertThat(catchThrowable(() -> answer(answer))).isInstanceOf(StoreException.class);
        }
        assertThat(redis.command("EXISTS", plain(A), plain(B), plain(C))).isEqualTo("0");
    }

    @Test
    void otherModesAreNotBatched() {
        CompletableFuture<?>[] answers = new CompletableFuture<?>[3];
        inOneBatch(() -> {
            answers[0] = take(process.newId(), A);
            answers[1] = process.store()
                    .attempt(attempt(process.newId(), false, LONG, BareProcess.claim(B, LockMode.SHARED, LONG)), 0)
                    .toCompletableFuture();
            answers[2] = take(process.newId(), B);
        });
        granted(cast(answers[0]));
        List<CompletableFuture<?>> rivals = List.of(answers[1], answers[2]);
        assertThat(rivals.stream().filter(it -> answer(it) instanceof AttemptAnswer.All))
                .hasSize(1);
    }

    /** The engine repeats an attempt with the same id when its answer is late. */
    @Test
    void repeatedAttemptQueuesOnceWhicheverAnswerComesFirst() {
        other.take(B);
        OwnerId twice = process.newId();
        CompletableFuture<?>[] answers = new CompletableFuture<?>[4];
        inOneBatch(() -> {
            answers[0] = take(process.newId(), A);
            answers[1] = take(twice, B);
            // With another lease, so these two are in a call of their own.
            answers[2] = takeFor(LONG.plusSeconds(1), process.newId(), C);
            answers[3] = takeFor(LONG.plusSeconds(1), twice, B);
        });
        granted(cast(answers[0]));
        granted(cast(answers[2]));
        assertThat(answer(answers[3])).isInstanceOf(AttemptAnswer.Queued.class);
        assertThat(redis.command("LLEN", "{" + plain(B) + "}:q")).isEqualTo("1");
    }

    private CompletableFuture<AttemptAnswer> takeFor(Duration lease, OwnerId id, LockKey key) {
        return process.store()
                .attempt(attempt(id, true, LONG, BareProcess.claim(key, LockMode.EXCLUSIVE, lease)), 0)
                .toCompletableFuture();
    }

    /** The server checks the key permissions of the whole call before it runs any of it. */
    @Test
    void forbiddenNameFailsOnlyTheRequestThatUsesIt() {
        redis.command(
                "ACL",
                "SETUSER",
                "narrow",
                "reset",
                "on",
                ">secret",
                "+@all",
                "&*",
                "~" + namespace + ":interlock:*",
                "~{" + namespace + ":lock:%probe}:*",
                "~" + plain(A),
                "~{" + plain(A) + "}:*",
                "~" + plain(C),
                "~{" + plain(C) + "}:*");
        process.close();
        process = new BareProcess(
                RedisBackend.builder("redis://narrow:secret@" + redis.node().address())
                        .namespace(namespace)
                        .build());
        process.queue(process.newId(), exclusive(C));
        CompletableFuture<?>[] answers = new CompletableFuture<?>[2];
        inOneBatch(() -> {
            answers[0] = take(process.newId(), A);
            answers[1] = take(process.newId(), B);
        });
        Granted held = granted(cast(answers[0])).get(0);
        assertThat(catchThrowable(() -> answer(answers[1])))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.REFUSED));

        CompletableFuture<?>[] ends = new CompletableFuture<?>[2];
        inOneBatch(() -> {
            ends[0] = release(held.grant());
            ends[1] = release(new Grant(B, process.newId(), 7));
        });
        assertThat(answer(ends[0])).isEqualTo(List.of(ReleaseAnswer.RELEASED));
        assertThat(catchThrowable(() -> answer(ends[1]))).isInstanceOf(StoreException.class);
    }
}
