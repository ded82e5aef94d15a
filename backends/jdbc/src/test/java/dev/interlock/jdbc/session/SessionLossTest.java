package dev.interlock.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.jdbc.internal.Dialect;
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
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a session ends, and how its holders learn of it. */
class SessionLossTest {
    private static final LockKey KEY = LockKey.of("loss");
    private static final LockKey OTHER = LockKey.of("other");

    /** Far longer than any probe interval here: whoever is told sooner was told by the session's end, not by a deadline. */
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

    /** S01: every lease of the session is lost, and what comes after has larger tokens. */
    @ParameterizedTest
    @EnumSource
    void killedSessionIsToldToAllItsHolders(Kind kind) throws Exception {
        String url = kind.freshDatabase();
        try (Interlock interlock = Interlock.over(kind.connect(url))) {
            Lease one = take(interlock, KEY);
            Lease other = take(interlock, OTHER);
            List<LossReason> told = new CopyOnWriteArrayList<>();
            one.onLost(told::add);
            other.onLost(told::add);
            kind.killHolder(url, KEY);
            // The session is probed every 100 ms; the rest is for a busy computer. Without a probe it would be told at
            // the lease's end.
            await().atMost(Duration.ofSeconds(4)).until(() -> told.size() == 2);
            assertThat(told).containsOnly(LossReason.SESSION_LOST);
            assertThatThrownBy(one::ensureHeld).isInstanceOf(LeaseLostException.class);
            FencingToken before = one.token();
            try (Lease next = take(interlock, KEY)) {
                assertThat(next.token()).isGreaterThan(before);
                assertThat(next.isHeld()).isTrue();
            }
        }
    }

    /** S02: the server is killed and comes back; all sessions are gone, the numbers are not. */
    @ParameterizedTest
    @EnumSource
    void killedServerIsToldAndItsNumbersGoOn(Kind kind) throws Exception {
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

    /** S05: the server ends sessions that are silent for a second, unless they say otherwise or are not silent. */
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

    /** The server frees the locks of a host that has vanished, but not before the longest lease of the session is over. */
    @Test
    void serverWaitsForASilentSessionAsLongAsItsLongestLease() throws Exception {
        String url = Kind.POSTGRESQL.freshDatabase();
        try (SessionLane lane = lane(url, Duration.ofSeconds(30))) {
            assertThat(idleLimit(lane)).isEqualTo("30s");
            lane.use(session -> {
                session.liveFor(Duration.ofSeconds(10));
                return true;
            });
            assertThat(idleLimit(lane)).isEqualTo("30s");
            lane.use(session -> {
                session.liveFor(Duration.ofSeconds(118));
                return true;
            });
            assertThat(idleLimit(lane)).isEqualTo("2min");
        }
    }

    /** A frozen or vanished client, as far as the server can tell: nothing comes from it any more. */
    @Test
    void sessionThatTheServerHasEndedForItsSilenceIsNoticed() throws Exception {
        String url = Kind.POSTGRESQL.freshDatabase();
        try (SessionLane lane = lane(url, Duration.ofMillis(200))) {
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

    private static SessionLane lane(String url, Duration leastSilence) {
        return new SessionLane(
                Connector.of(url, new Properties()),
                new AdvisoryLock(key -> 1),
                "test",
                Dialect.POSTGRESQL,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                leastSilence);
    }

    private static String idleLimit(SessionLane lane) {
        return lane.use(session -> SessionSql.ask(session.connection(), "SHOW idle_session_timeout"));
    }

    /** A lease that nobody renews is over, and the lock is given back even if the engine never says so. */
    @ParameterizedTest
    @EnumSource
    void lockWhoseLeaseIsOverIsGivenBack(Kind kind) throws Exception {
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

    /** Two stores may share a backend; one of them is closed with something left, which must not stay locked. */
    @ParameterizedTest
    @EnumSource
    void closedStoreGivesBackWhatItLeftAndNothingElse(Kind kind) throws Exception {
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

    /** What is answered from memory says nothing about the session, so it must not put the probe off. */
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

    /** A driver that connects again behind our back, here played by a session that lost its mark. */
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void sessionThatWeDidNotBeginIsNotOurs(Kind kind) throws Exception {
        String url = kind.freshDatabase();
        NamedLock locks = new NamedLock("", connection -> false);
        try (Connection connection = DriverManager.getConnection(url)) {
            assertThat(locks.begunIdentity(connection)).isZero();
            locks.begin(connection);
            assertThat(locks.begunIdentity(connection)).isEqualTo(locks.identity(connection));
        }
    }
}
