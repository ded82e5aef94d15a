package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.StoreUnavailableException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that stay at hand: who uses them, and that their pool gets them back. */
class KeptTest {
    private static final LockKey KEY = LockKey.of("kept");

    @RegisterExtension
    static final Databases databases = new Databases();

    private final Set<Thread> users = ConcurrentHashMap.newKeySet();
    private final Thread test = Thread.currentThread();

    /** Statements that the test's own thread has prepared, and those of them that were open when their connection was given back. */
    private final List<PreparedStatement> mine = new CopyOnWriteArrayList<>();

    private final List<PreparedStatement> leftOpen = new CopyOnWriteArrayList<>();

    private boolean isMine() {
        return Thread.currentThread() == test;
    }

    private List<PreparedStatement> openOf(Object connection) throws SQLException {
        List<PreparedStatement> open = new ArrayList<>();
        for (PreparedStatement statement : mine) {
            if (!statement.isClosed() && statement.getConnection() == connection) {
                open.add(statement);
            }
        }
        return open;
    }

    private JdbcBackend.Builder backend(HikariDataSource pool) {
        return JdbcBackend.builder(watched(DataSource.class, pool))
                .namespace(UUID.randomUUID().toString());
    }

    /** The same, but it is noted which threads make statements. */
    private <T> T watched(Class<T> type, T inner) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, values) -> {
                    if (method.getName().equals("prepareStatement")) {
                        users.add(Thread.currentThread());
                    } else if (method.getName().equals("close")) {
                        leftOpen.addAll(openOf(inner));
                    }
                    try {
                        Object answer = method.invoke(inner, values);
                        if (answer instanceof PreparedStatement statement && isMine()) {
                            mine.add(statement);
                        }
                        return method.getName().equals("getConnection")
                                ? watched(Connection.class, (Connection) answer)
                                : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private Interlock open(JdbcBackend.Builder options) {
        Interlock interlock = Interlock.over(options.build());
        // To look at the database is for whoever opens it.
        users.clear();
        return interlock;
    }

    private boolean isUsedHere(Interlock interlock) {
        interlock.locks().acquire(KEY).close();
        return users.contains(Thread.currentThread());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void callersThreadMakesItsStatementsItself(Dialect dialect) {
        try (Interlock interlock = open(backend(databases.pool(dialect)).keepConnections(1))) {
            Awaitility.await().pollInSameThread().until(() -> isUsedHere(interlock));
        }
    }

    @ParameterizedTest
    @EnumSource
    void callersThreadIsLeftAloneByDefaultAndOnH2(Dialect dialect) {
        JdbcBackend.Builder options = backend(databases.pool(dialect));
        try (Interlock interlock = open(dialect == Dialect.H2 ? options.keepConnections(8) : options)) {
            for (int i = 0; i < 50; i++) {
                assertThat(isUsedHere(interlock)).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void poolGetsThemBackAsTheyWereSoonAfterTheLastUse(Dialect dialect) throws Exception {
        try (HikariDataSource pool =
                Pools.of(databases.pool(dialect).getJdbcUrl(), 3, config -> config.setAutoCommit(false))) {
            int limit;
            try (Connection connection = pool.getConnection()) {
                limit = connection.getNetworkTimeout();
            }
            try (Interlock interlock = open(backend(pool).keepConnections(1))) {
                Awaitility.await().pollInSameThread().until(() -> isUsedHere(interlock));
                // On PostgreSQL one listens.
                int others = dialect == Dialect.POSTGRESQL ? 1 : 0;
                Awaitility.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == others);
                assertThat(isUsedHere(interlock)).isTrue();
            }
            Awaitility.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
            try (Connection one = pool.getConnection();
                    Connection two = pool.getConnection();
                    Connection three = pool.getConnection()) {
                for (Connection connection : new Connection[] {one, two, three}) {
                    assertThat(connection.getAutoCommit()).isFalse();
                    assertThat(connection.getNetworkTimeout()).isEqualTo(limit);
                    assertThat(connection.unwrap(Connection.class).getAutoCommit())
                            .isFalse();
                }
            }
        }
    }

    /** Looking a statement up and closing it costs as much as filling it in; but a pool that reuses connections may not close what it finds open. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void statementsStayOpenUntilTheirConnectionGoesBack(Dialect dialect) {
        HikariDataSource pool = databases.pool(dialect);
        try (Interlock interlock = open(backend(pool).keepConnections(1))) {
            Awaitility.await().pollInSameThread().until(() -> isUsedHere(interlock));
            mine.clear();
            for (int i = 0; i < 50; i++) {
                interlock.locks().acquire(KEY).close();
            }
            assertThat(mine)
                    .as("a connection goes back after ten seconds at the latest")
                    .hasSizeLessThan(10);
        }
        Awaitility.await().until(() -> mine.stream().allMatch(this::isClosed));
        assertThat(leftOpen).isEmpty();
    }

    private boolean isClosed(PreparedStatement statement) {
        try {
            return statement.isClosed();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The thread must come back, and the statement must not go on without it: it would take the lock for nobody when the row is free. */
    @Test
    void statementThatHangsOnARowIsEndedAtTheServerToo() throws Exception {
        String url = databases.pool(Dialect.POSTGRESQL).getJdbcUrl();
        try (HikariDataSource pool = Pools.of(url, 3);
                Interlock interlock = open(backend(pool).keepConnections(1));
                Connection sitting = DriverManager.getConnection(url);
                Statement statement = sitting.createStatement()) {
            Awaitility.await().pollInSameThread().until(() -> isUsedHere(interlock));
            sitting.setAutoCommit(false);
            statement.execute("SELECT name FROM interlock_lock WHERE name = '" + KEY.name() + "' FOR UPDATE");

            assertThatThrownBy(() -> interlock
                            .locks()
                            .with(KEY)
                            .waitAtMost(Duration.ofSeconds(4))
                            .acquire())
                    .isInstanceOf(StoreUnavailableException.class);

            String hanging = "SELECT count(*) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND wait_event_type = 'Lock'";
            Awaitility.await().until(() -> {
                try (ResultSet row = statement.executeQuery(hanging)) {
                    return row.next() && row.getInt(1) == 0;
                }
            });
            sitting.rollback();
            assertThat(interlock.locks().tryAcquire(KEY, Duration.ofSeconds(30)))
                    .isPresent();
        }
    }

    /** Notifications come over a connection that is not the pool's. */
    @Test
    void ownPoolHandsLocksOver() throws Exception {
        String url = databases.pool(Dialect.POSTGRESQL).getJdbcUrl();
        String namespace = UUID.randomUUID().toString();
        try (Interlock one = Interlock.over(
                        JdbcBackend.builder(url).namespace(namespace).build());
                Interlock two = Interlock.over(
                        JdbcBackend.builder(url).namespace(namespace).build())) {
            for (int i = 0; i < 20; i++) {
                var held = one.locks().acquire(KEY);
                var waiting = two.locks().acquireAsync(KEY).toCompletableFuture();
                Awaitility.await()
                        .until(() -> one.operator().inspect(KEY).orElseThrow().waiters() == 1);
                held.close();
                waiting.get().close();
            }
        }
    }

    @Test
    void numbersThatCannotBeAreRefused() {
        JdbcBackend.Builder options = databases.backend(Dialect.H2);

        assertThatThrownBy(() -> options.keepConnections(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.keepConnections(65)).isInstanceOf(IllegalArgumentException.class);
    }
}
