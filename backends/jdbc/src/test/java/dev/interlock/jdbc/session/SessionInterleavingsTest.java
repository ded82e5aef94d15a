package dev.interlock.jdbc.session;

import static dev.interlock.testkit.faults.Matching.request;
import static dev.interlock.testkit.faults.Matching.requestContaining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.StoreException;
import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.faults.FaultProxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Races between a store and its session. Each case is a line of the package description. */
@Tag("full")
@Tag("server")
class SessionInterleavingsTest {
    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");
    private static final LockKey C = LockKey.of("c");
    private static final Map<Kind, String> URLS = new EnumMap<>(Kind.class);

    /** The cases of one kind share a database, so each releases its keys. */
    private static String url(Kind kind) throws SQLException {
        String url = URLS.get(kind);
        if (url == null) {
            url = kind.freshDatabase();
            URLS.put(kind, url);
        }
        return url;
    }

    private static void assertUnknown(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.UNKNOWN));
    }

    private static void awaitFree(Kind kind, LockKey... keys) {
        for (LockKey key : keys) {
            await().until(() -> !kind.isLocked(url(kind), key));
        }
    }

    @ParameterizedTest
    @EnumSource
    void replyToATakeIsLost(Kind kind) throws Exception {
        try (FaultProxy proxy = kind.proxy();
                OneProcess process = new OneProcess(kind.connect(kind.through(proxy, url(kind))))) {
            Granted before = process.take(C);
            Attempt attempt = process.attempt(A);
            Fault lost = proxy.cutBeforeReply(requestContaining(kind.taking).nth(1));
            assertUnknown(() -> process.send(attempt));
            assertThat(lost.acted()).isEqualTo(1);
            assertThat(process.lostSessions).hasValue(1);
            assertThat(process.withdraw(attempt)).isEmpty();

            Granted again = process.takeInTheEnd(attempt);
            assertThat(process.send(attempt))
                    .isInstanceOfSatisfying(
                            AttemptAnswer.All.class,
                            all -> assertThat(all.granted().get(0).grant()).isEqualTo(again.grant()));
            assertThat(OneProcess.answer(process.store.renew(List.of(renewal(before), renewal(again)))))
                    .satisfiesExactly(
                            gone -> assertThat(gone).isEqualTo(new RenewalAnswer.Gone(LossReason.SESSION_LOST)),
                            held -> assertThat(held).isInstanceOf(RenewalAnswer.Extended.class));
            assertThat(process.release(before.grant())).isEqualTo(ReleaseAnswer.NOT_HELD);
        }
        awaitFree(kind, A, C);
    }

    private static Renewal renewal(Granted granted) {
        return new Renewal(granted.grant(), Duration.ofMinutes(1), Duration.ZERO);
    }

    /** The network is silent. The server may still hold the lock; until it releases it, no other session has it. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void silenceAfterATakeEndsTheSession(Kind kind) throws Exception {
        try (FaultProxy proxy = kind.proxy();
                OneProcess process =
                        new OneProcess(kind.connect(kind.through(proxy, url(kind)), Duration.ofSeconds(2)))) {
            process.take(C);
            Attempt attempt = process.attempt(A);
            try (Fault silent =
                    proxy.silenceBeforeReply(requestContaining(kind.taking).nth(1))) {
                assertUnknown(() -> process.send(attempt));
                assertThat(silent.acted()).isPositive();
            }
            assertThat(process.lostSessions).hasValue(1);
            process.takeInTheEnd(attempt);
        }
        awaitFree(kind, A, C);
    }

    @ParameterizedTest
    @EnumSource
    void withdrawalDuringATakeFindsItsGrant(Kind kind) throws Exception {
        try (FaultProxy proxy = kind.proxy();
                OneProcess process = new OneProcess(kind.connect(kind.through(proxy, url(kind))))) {
            process.release(process.take(A).grant());
            Attempt attempt = process.attempt(A);
            Fault held = proxy.hold(requestContaining(kind.taking));
            CompletableFuture<AttemptAnswer> taking =
                    process.store.attempt(attempt, 0).toCompletableFuture();
            held.awaitActed(Duration.ofSeconds(10));
            CompletableFuture<List<Granted>> withdrawing =
                    process.store.withdraw(attempt.id(), List.of(A)).toCompletableFuture();
            assertThat(withdrawing).isNotDone();
            held.heal();
            Granted granted =
                    ((AttemptAnswer.All) OneProcess.answer(taking)).granted().get(0);
            assertThat(OneProcess.answer(withdrawing))
                    .extracting(Granted::grant)
                    .containsExactly(granted.grant());
            assertThat(process.release(granted.grant())).isEqualTo(ReleaseAnswer.RELEASED);
            assertThat(kind.isLocked(url(kind), A)).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void replyToAReleaseIsLost(Kind kind) throws Exception {
        try (FaultProxy proxy = kind.proxy();
                OneProcess process = new OneProcess(kind.connect(kind.through(proxy, url(kind))))) {
            Granted granted = process.take(A);
            Granted other = process.take(B);
            Fault lost = proxy.cutBeforeReply(requestContaining(kind.givingBack).nth(1));
            assertUnknown(() -> process.release(granted.grant()));
            assertThat(lost.acted()).isEqualTo(1);
            assertThat(process.lostSessions).hasValue(1);
            assertThat(process.release(granted.grant())).isEqualTo(ReleaseAnswer.NOT_HELD);
            assertThat(process.release(other.grant())).isEqualTo(ReleaseAnswer.NOT_HELD);
            awaitFree(kind, A, B);
            assertThat(process.take(A).grant().number())
                    .isGreaterThan(granted.grant().number());
        }
        awaitFree(kind, A);
    }

    /** The session ends after the first key, and another call begins a new one before the second key. */
    @ParameterizedTest
    @EnumSource
    void sessionIsReplacedBetweenTwoKeysOfAnAttempt(Kind kind) throws Exception {
        try (OneProcess process = new OneProcess(kind.connect(url(kind)))) {
            Attempt attempt = process.attempt(
                    new HookedClaims(process.attempt(A, B).claims(), 1, () -> replaceSession(kind, process)));
            assertUnknown(() -> process.send(attempt));
            awaitFree(kind, A, B);
            assertThat(process.withdraw(attempt)).isEmpty();
            assertThat(kind.isLocked(url(kind), C)).isTrue();
        }
        awaitFree(kind, C);
    }

    private static void replaceSession(Kind kind, OneProcess process) {
        endSession(kind, process);
        process.take(C);
    }

    private static void endSession(Kind kind, OneProcess process) {
        try {
            kind.killHolder(url(kind), A);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        await().until(() -> process.lostSessions.get() == 1);
    }

    /** An attempt whose session has ended is never answered as granted, whether or not the end was reported. */
    @ParameterizedTest
    @EnumSource
    void sessionEndsAfterTheLastKeyOfAnAttempt(Kind kind) throws Exception {
        try (OneProcess process = new OneProcess(kind.connect(url(kind)))) {
            Attempt attempt = process.attempt(
                    new HookedClaims(process.attempt(A, B).claims(), 2, () -> endSession(kind, process)));
            assertUnknown(() -> process.send(attempt));
        }
        awaitFree(kind, A);
    }

    /** The end of the session is reported before the engine knows of the grant, so it must be reported again. */
    @ParameterizedTest
    @EnumSource
    void endOfTheSessionIsReportedAgainAfterALateGrant(Kind kind) throws Exception {
        try (OneProcess process = new OneProcess(kind.connect(url(kind)))) {
            CompletableFuture<Boolean> listening = new CompletableFuture<>();
            Attempt attempt =
                    process.attempt(new HookedClaims(process.attempt(A, B).claims(), 2, listening::join));
            // Runs on the answering thread, as the engine does.
            CompletableFuture<AttemptAnswer> answer = process.store
                    .attempt(attempt, 0)
                    .thenApply(it -> {
                        endSession(kind, process);
                        return it;
                    })
                    .toCompletableFuture();
            listening.complete(true);
            assertThat(OneProcess.answer(answer)).isInstanceOf(AttemptAnswer.All.class);
            await().until(() -> process.lostSessions.get() == 2);
        }
        awaitFree(kind, A);
    }

    /** Another transaction has locked the row of the number. */
    @ParameterizedTest
    @EnumSource
    void lockWithoutANumberIsReleased(Kind kind) throws Exception {
        try (OneProcess process = new OneProcess(kind.connect(url(kind)));
                Connection other = DriverManager.getConnection(url(kind))) {
            Granted before = process.take(C);
            process.release(process.take(A).grant());
            other.setAutoCommit(false);
            SessionSql.ask(
                    other,
                    "SELECT number FROM interlock_session_token WHERE bucket = "
                            + SessionSql.bucket(kind.id(url(kind), A)) + " FOR UPDATE");
            assertThatThrownBy(() -> process.take(A)).isInstanceOfSatisfying(StoreException.class, e -> {
                assertThat(e.kind()).isEqualTo(StoreException.Kind.NOT_SENT);
                assertThat(e.isAnswered()).isTrue();
            });
            assertThat(kind.isLocked(url(kind), A)).isFalse();
            other.rollback();
            process.release(process.take(A).grant());
            assertThat(process.lostSessions).hasValue(0);
            assertThat(process.release(before.grant())).isEqualTo(ReleaseAnswer.RELEASED);
            assertThat(kind.isLocked(url(kind), A)).isFalse();
        }
    }

    /** The first key is taken, the second fails. A failed attempt holds nothing. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void failedAttemptReleasesItsFirstKeys(Kind kind) throws Exception {
        try (OneProcess process = new OneProcess(kind.connect(url(kind)));
                Connection other = DriverManager.getConnection(url(kind))) {
            process.release(process.take(B).grant());
            other.setAutoCommit(false);
            SessionSql.ask(
                    other,
                    "SELECT number FROM interlock_session_token WHERE bucket = "
                            + SessionSql.bucket(kind.id(url(kind), B)) + " FOR UPDATE");
            Attempt attempt = process.attempt(A, B);
            assertThatThrownBy(() -> process.send(attempt)).isInstanceOf(StoreException.class);
            assertThat(process.withdraw(attempt)).isEmpty();
            assertThat(kind.isLocked(url(kind), A)).isFalse();
            assertThat(kind.isLocked(url(kind), B)).isFalse();
        }
    }

    /** The attempts wait while the session is busy and then share a transaction. Two of them want the same key. */
    @ParameterizedTest
    @EnumSource
    void batchedAttemptsGetTheirOwnAnswers(Kind kind) throws Exception {
        try (FaultProxy proxy = kind.proxy();
                OneProcess process = new OneProcess(kind.connect(kind.through(proxy, url(kind))), 1);
                OneProcess other = new OneProcess(kind.connect(url(kind)))) {
            Granted foreign = other.take(LockKey.of("together-7"));
            process.take(C);
            Fault held = proxy.hold(requestContaining(kind.taking));
            List<CompletableFuture<AttemptAnswer>> answers = new ArrayList<>();
            answers.add(send(process, A));
            held.awaitActed(Duration.ofSeconds(10));
            for (int i = 0; i < 20; i++) {
                answers.add(send(process, LockKey.of("together-" + i)));
            }
            answers.add(send(process, LockKey.of("together-3")));
            held.heal();
            int granted = 0;
            for (CompletableFuture<AttemptAnswer> answer : answers) {
                if (OneProcess.answer(answer) instanceof AttemptAnswer.All all) {
                    granted++;
                    assertCommitted(kind, all.granted().get(0));
                    assertThat(process.release(all.granted().get(0).grant())).isEqualTo(ReleaseAnswer.RELEASED);
                }
            }
            assertThat(granted).as("all but the foreign one and one of two").isEqualTo(20);
            assertThat(other.release(foreign.grant())).isEqualTo(ReleaseAnswer.RELEASED);
            assertThat(process.lostSessions).hasValue(0);
        }
        awaitFree(kind, A, C);
    }

    private static CompletableFuture<AttemptAnswer> send(OneProcess process, LockKey... keys) {
        return process.store.attempt(process.attempt(keys), 0).toCompletableFuture();
    }

    private static void assertCommitted(Kind kind, Granted granted) throws SQLException {
        LockKey key = granted.grant().key();
        assertThat(kind.isLocked(url(kind), key)).isTrue();
        try (Connection connection = DriverManager.getConnection(url(kind))) {
            long stored = Long.parseLong(SessionSql.ask(
                    connection,
                    "SELECT number FROM interlock_session_token WHERE bucket = "
                            + SessionSql.bucket(kind.id(url(kind), key))));
            assertThat(granted.grant().number()).isLessThanOrEqualTo(stored);
        }
    }

    /** Another transaction has locked the row of one attempt; the others are granted. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void oneOfSeveralBatchedAttemptsFails(Kind kind) throws Exception {
        try (FaultProxy proxy = kind.proxy();
                OneProcess process = new OneProcess(kind.connect(kind.through(proxy, url(kind))), 1);
                Connection other = DriverManager.getConnection(url(kind))) {
            process.release(process.take(B).grant());
            other.setAutoCommit(false);
            SessionSql.ask(
                    other,
                    "SELECT number FROM interlock_session_token WHERE bucket = "
                            + SessionSql.bucket(kind.id(url(kind), B)) + " FOR UPDATE");
            Fault held = proxy.hold(requestContaining(kind.taking));
            CompletableFuture<AttemptAnswer> first = send(process, LockKey.of("first"));
            held.awaitActed(Duration.ofSeconds(10));
            CompletableFuture<AttemptAnswer> a = send(process, A);
            CompletableFuture<AttemptAnswer> b = send(process, B);
            CompletableFuture<AttemptAnswer> c = send(process, C);
            held.heal();
            for (CompletableFuture<AttemptAnswer> had : List.of(first, a, c)) {
                assertThat(OneProcess.answer(had)).isInstanceOfSatisfying(AttemptAnswer.All.class, all -> {
                    try {
                        assertCommitted(kind, all.granted().get(0));
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                });
            }
            assertThatThrownBy(() -> OneProcess.answer(b)).isInstanceOf(StoreException.class);
            assertThat(kind.isLocked(url(kind), B)).isFalse();
            assertThat(process.lostSessions).hasValue(0);
        }
        awaitFree(kind, A, B, C);
    }

    private static boolean isCommit(byte[] request) {
        String text = new String(request, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
        return text.contains("COMMIT") && !text.contains("AUTOCOMMIT");
    }

    /** The common commit is lost with its connection. */
    @ParameterizedTest
    @EnumSource
    void connectionIsLostDuringABatch(Kind kind) throws Exception {
        try (FaultProxy proxy = kind.proxy();
                OneProcess process = new OneProcess(kind.connect(kind.through(proxy, url(kind))), 1)) {
            process.take(LockKey.of("first"));
            Fault held = proxy.hold(requestContaining(kind.taking).nth(1));
            CompletableFuture<AttemptAnswer> one = send(process, LockKey.of("second"));
            held.awaitActed(Duration.ofSeconds(10));
            List<CompletableFuture<AttemptAnswer>> several =
                    List.of(send(process, A), send(process, B), send(process, C));
            Fault lost = proxy.cutBeforeReply(
                    request(SessionInterleavingsTest::isCommit).nth(1));
            held.heal();
            assertThat(OneProcess.answer(one)).isInstanceOf(AttemptAnswer.All.class);
            several.forEach(answer -> assertUnknown(() -> OneProcess.answer(answer)));
            assertThat(lost.acted()).isEqualTo(1);
            assertThat(process.lostSessions).hasValue(1);
            awaitFree(kind, A, B, C);
        }
    }
}
