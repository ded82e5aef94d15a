package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.transactions.internal.Dialect;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which threads use warm connections, and when connections return to their pool. */
@Tag("server")
class WarmConnectionsTest {
    private static final LockKey KEY = LockKey.of("warm");

    @RegisterExtension
    static final Databases databases = new Databases();

    private final Set<Thread> users = ConcurrentHashMap.newKeySet();
    private final Thread test = Thread.currentThread();

    /** Statements that the test's own thread prepared, and those that were open when their connection was returned. */
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

    /** Wraps an object and records which threads prepare statements. */
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
        // The checks at the start run on the opening thread.
        users.clear();
        return interlock;
    }

    private boolean isUsedHere(Interlock interlock) {
        interlock.locks().acquire(KEY).close();
        return users.contains(Thread.currentThread());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void callersThreadExecutesItsStatements(Dialect dialect) {
        try (Interlock interlock = open(backend(databases.pool(dialect)).keepConnections(1))) {
            Awaitility.await().pollInSameThread().until(() -> isUsedHere(interlock));
        }
    }

    @ParameterizedTest
    @EnumSource
    void callersThreadIsNotUsedByDefaultAndOnH2(Dialect dialect) {
        JdbcBackend.Builder options = backend(databases.pool(dialect));
        try (Interlock interlock = open(dialect == Dialect.H2 ? options.keepConnections(8) : options)) {
            for (int i = 0; i < 50; i++) {
                assertThat(isUsedHere(interlock)).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void connectionsReturnRestoredSoonAfterTheLastUse(Dialect dialect) throws Exception {
        try (HikariDataSource pool =
                Pools.of(databases.pool(dialect).getJdbcUrl(), 3, config -> config.setAutoCommit(false))) {
            int limit;
            try (Connection connection = pool.getConnection()) {
                limit = connection.getNetworkTimeout();
            }
            try (Interlock interlock = open(backend(pool).keepConnections(1))) {
                Awaitility.await().pollInSameThread().until(() -> isUsedHere(interlock));
                // On PostgreSQL one connection listens.
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

    /**
     * Preparing and closing a statement is costly, but a pool may not close open statements of a returned connection.
     */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void statementsStayOpenUntilTheirConnectionIsReturned(Dialect dialect) {
        HikariDataSource pool = databases.pool(dialect);
        try (Interlock interlock = open(backend(pool).keepConnections(1))) {
            Awaitility.await().pollInSameThread().until(() -> isUsedHere(interlock));
            mine.clear();
            for (int i = 0; i < 50; i++) {
                interlock.locks().acquire(KEY).close();
            }
            assertThat(mine)
                    .as("a connection is returned after ten seconds at the latest")
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

    /**
     * The thread must return, and the statement must end at the server: otherwise it would take the lock without a
     * holder.
     */
    @Test
    void statementThatWaitsForARowIsCancelledAtTheServerToo() throws Exception {
        String url = databases.pool(Dialect.POSTGRESQL).getJdbcUrl();
        try (HikariDataSource pool = Pools.of(url, 3);
                Interlock interlock = open(backend(pool).keepConnections(1));
                Connection blocking = DriverManager.getConnection(url);
                Statement statement = blocking.createStatement()) {
            Awaitility.await().pollInSameThread().until(() -> isUsedHere(interlock));
            blocking.setAutoCommit(false);
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
            blocking.rollback();
            assertThat(interlock.locks().tryAcquire(KEY, Duration.ofSeconds(30)))
                    .isPresent();
        }
    }

    /** Notifications arrive on a connection outside the pool. */
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
    void invalidNumbersOfWarmConnectionsAreRefused() {
        JdbcBackend.Builder options = databases.backend(Dialect.H2);

        assertThatThrownBy(() -> options.keepConnections(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.keepConnections(65)).isInstanceOf(IllegalArgumentException.class);
    }
}
