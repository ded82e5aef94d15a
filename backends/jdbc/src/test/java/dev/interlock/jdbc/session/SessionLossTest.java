package dev.interlock.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.testkit.servers.SqlServer;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a session ends, and how its holders are notified. */
@Tag("server")
class SessionLossTest {
    private static final LockKey KEY = LockKey.of("loss");
    private static final LockKey OTHER = LockKey.of("other");

    /**
     * Far longer than any probe interval here: an earlier notification comes from the end of the session, not from a
     * deadline.
     */
    private static final Duration LONG = Duration.ofMinutes(5);

    private static Lease take(Interlock interlock, LockKey key) {
        return interlock
                .locks()
                .with(key)
                .leaseFor(LONG)
                .renew(false)
                .waitAtMost(Duration.ofSeconds(20))
                .acquire();
    }

    /** S01: every lease of the session is lost, and later grants have larger tokens. */
    @ParameterizedTest
    @EnumSource
    void killedSessionIsReportedToAllItsHolders(Kind kind) throws Exception {
        String url = kind.freshDatabase();
        try (Interlock interlock = Interlock.over(kind.connect(url))) {
            Lease one = take(interlock, KEY);
            Lease other = take(interlock, OTHER);
            List<LossReason> losses = new CopyOnWriteArrayList<>();
            one.onLost(losses::add);
            other.onLost(losses::add);
            kind.killHolder(url, KEY);
            // The session is probed every 100 ms; the rest is for a busy machine. Without a probe, the loss would be
            // reported at the end of the lease.
            await().atMost(Duration.ofSeconds(4)).until(() -> losses.size() == 2);
            assertThat(losses).containsOnly(LossReason.SESSION_LOST);
            assertThatThrownBy(one::ensureHeld).isInstanceOf(LeaseLostException.class);
            FencingToken before = one.token();
            try (Lease next = take(interlock, KEY)) {
                assertThat(next.token()).isGreaterThan(before);
                assertThat(next.isHeld()).isTrue();
            }
        }
    }

    /** S02: the server is killed and restarted. All sessions are gone, the numbers are not. */
    @ParameterizedTest
    @EnumSource
    void lossOfAKilledServerIsReportedAndNumbersKeepGrowing(Kind kind) throws Exception {
        try (SqlServer server = kind.own()) {
            server.start();
            String url = server.freshDatabase();
            kind.createTables(url);
            try (Interlock interlock = Interlock.over(kind.connect(url))) {
                Lease lease = take(interlock, KEY);
                server.node().kill();
                assertThat(lease.lost().toCompletableFuture().get(20, TimeUnit.SECONDS))
                        .isEqualTo(LossReason.SESSION_LOST);
                assertThatThrownBy(() -> interlock.locks().acquire(KEY)).isInstanceOf(StoreUnavailableException.class);
                server.node().start();
                await().ignoreException(StoreUnavailableException.class).untilAsserted(() -> {
                    try (Lease next = take(interlock, KEY)) {
                        assertThat(next.token()).isGreaterThan(lease.token());
                    }
                });
            }
        }
    }

    /** S05: the server ends sessions that are idle for a second, unless they set another limit or are active. */
    @ParameterizedTest
    @EnumSource
    void shortIdleLimitOfTheServerDoesNotEndTheSession(Kind kind) throws Exception {
        String url = kind.freshDatabase();
        String limited = switch (kind) {
            case POSTGRESQL -> url + "&options=-c%20idle_session_timeout=1s";
            case MARIADB, MYSQL -> url + (url.contains("?") ? "&" : "?") + "sessionVariables=wait_timeout=1";
        };
        try (Interlock interlock = Interlock.over(kind.connect(limited))) {
            Lease lease = take(interlock, KEY);
            await().during(Duration.ofMillis(1_800))
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> !lease.lost().toCompletableFuture().isDone());
            assertThat(kind.isLocked(url, KEY)).isTrue();
        }
    }

    /** The server releases the locks of a vanished host, but not before the longest lease of the session has ended. */
    @Test
    void serverKeepsAnIdleSessionAsLongAsItsLongestLease() throws Exception {
        String url = Kind.POSTGRESQL.freshDatabase();
        try (SharedSession lane = lane(url, Duration.ofSeconds(30))) {
            assertThat(idleLimit(lane)).isEqualTo("30s");
            lane.use(session -> {
                session.keepAliveFor(Duration.ofSeconds(10));
                return true;
            });
            assertThat(idleLimit(lane)).isEqualTo("30s");
            lane.use(session -> {
                session.keepAliveFor(Duration.ofSeconds(118));
                return true;
            });
            assertThat(idleLimit(lane)).isEqualTo("2min");
        }
    }

    /** To the server, the client is frozen or gone: it sends nothing any more. */
    @Test
    void sessionThatTheServerEndedAsIdleIsNoticed() throws Exception {
        String url = Kind.POSTGRESQL.freshDatabase();
        try (SharedSession lane = lane(url, Duration.ofMillis(200))) {
            long identity = lane.use(
                    session -> Long.parseLong(SessionSql.ask(session.connection(), "SELECT pg_backend_pid()")));
            try (Connection other = DriverManager.getConnection(url)) {
                await().until(() -> !SessionSql.finds(other, "SELECT 1 FROM pg_stat_activity WHERE pid = ?", identity));
            }
            assertThatThrownBy(() -> lane.use(session -> {
                        session.confirm();
                        return true;
                    }))
                    .hasMessageContaining("all locks of this session");
            assertThat(lane.<Long>use(
                            session -> Long.parseLong(SessionSql.ask(session.connection(), "SELECT pg_backend_pid()"))))
                    .isNotEqualTo(identity);
        }
    }

    private static SharedSession lane(String url, Duration leastSilence) {
        return new SharedSession(
                SessionConnector.of(url, new Properties()),
                new AdvisoryLock(key -> 1),
                "test",
                Dialect.POSTGRESQL,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                leastSilence);
    }

    private static String idleLimit(SharedSession lane) {
        return lane.use(session -> SessionSql.ask(session.connection(), "SHOW idle_session_timeout"));
    }

    /** A lease that is not renewed ends, and its lock is released even without a release by the engine. */
    @ParameterizedTest
    @EnumSource
    void lockOfAnExpiredLeaseIsReleased(Kind kind) throws Exception {
        String url = kind.freshDatabase();
        try (OneProcess process = new OneProcess(kind.connect(url));
                OneProcess other = new OneProcess(kind.connect(url))) {
            Claim brief = new Claim(KEY, LockMode.EXCLUSIVE, 1, 1, Duration.ofMillis(300), Duration.ZERO);
            Granted granted = process.take(process.attempt(List.of(brief)));
            Granted next = other.takeInTheEnd(other.attempt(KEY));
            assertThat(next.grant().number()).isGreaterThan(granted.grant().number());
            assertThat(process.release(granted.grant())).isEqualTo(ReleaseAnswer.NOT_HELD);
            assertThat(process.lostSessions).hasValue(0);
        }
    }

    /** Two stores may share a backend. If one is closed with grants left, these must not stay locked. */
    @ParameterizedTest
    @EnumSource
    void closedStoreReleasesItsOwnGrantsOnly(Kind kind) throws Exception {
        String url = kind.freshDatabase();
        try (OneProcess one = new OneProcess(kind.connect(url));
                OneProcess other = new OneProcess(one.backend)) {
            one.take(KEY);
            other.take(OTHER);
            one.store.close();
            assertThat(kind.isLocked(url, KEY)).isFalse();
            assertThat(kind.isLocked(url, OTHER)).isTrue();
        }
    }

    /** Answers from memory do not confirm the session, so they must not delay the probe. */
    @Test
    void callsThatNeedNoDatabaseDoNotHideTheEndOfTheSession() throws Exception {
        String url = Kind.POSTGRESQL.freshDatabase();
        try (OneProcess process = new OneProcess(Kind.POSTGRESQL.connect(url))) {
            process.take(KEY);
            Kind.POSTGRESQL.killHolder(url, KEY);
            await().pollInterval(Duration.ofMillis(5)).until(() -> {
                process.withdraw(process.attempt(KEY));
                return process.lostSessions.get() == 1;
            });
        }
    }

    /** Some drivers reconnect on their own; simulated by a session that lost its mark. */
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void sessionThatWeDidNotBeginIsNotUsed(Kind kind) throws Exception {
        String url = kind.freshDatabase();
        NamedLock locks = new NamedLock("", connection -> false);
        try (Connection connection = DriverManager.getConnection(url)) {
            assertThat(locks.begunIdentity(connection)).isZero();
            locks.begin(connection);
            assertThat(locks.begunIdentity(connection)).isEqualTo(locks.identity(connection));
        }
    }
}
