package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.checked.FaultTarget;
import dev.interlock.testkit.checked.FaultTrait;
import dev.interlock.testkit.checked.StoreRequests;
import dev.interlock.testkit.checked.StoreState;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.testkit.servers.ServerNode;
import dev.interlock.testkit.servers.SqlServer;
import dev.interlock.testkit.workers.WorkerSetup;
import dev.interlock.transactions.internal.Dialect;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One database with the lock tables on a real server, reached directly or through proxies.
 *
 * <p>Runs have namespaces of their own. Queries of the tests use connections of their own, past all pools and proxies.
 */
final class FaultDatabase implements FaultTarget, BeforeAllCallback, AfterAllCallback {
    /** The maximum size of a client's pool. */
    private static final int POOL = 6;

    /** How many connections of its pool a client keeps for the threads of its callers. */
    private static final int WARM = 2;

    private final SqlServer server;
    private final Dialect dialect;
    private final Map<String, List<HikariDataSource>> poolsByNamespace = new ConcurrentHashMap<>();
    private @Nullable String url;

    FaultDatabase(SqlServer server, Dialect dialect) {
        this.server = server;
        this.dialect = dialect;
    }

    Dialect dialect() {
        return dialect;
    }

    String url() {
        if (url == null) {
            throw new IllegalStateException("The database has not been created yet");
        }
        return url;
    }

    // ---- the fault kit ------------------------------------------------------------------------------------------

    @Override
    public String name() {
        return dialect.toString();
    }

    @Override
    public List<ServerNode> nodes() {
        return List.of(server.node());
    }

    @Override
    public Framing framing() {
        return dialect == Dialect.POSTGRESQL ? Framing.postgres() : Framing.mysql();
    }

    @Override
    public Backend connect(List<String> addresses, String namespace, Duration silence) {
        return connect(url(addresses), namespace, silence);
    }

    /** Connects a client with session settings of its own, such as {@code &name=value}. */
    Backend connectWith(String parameters, String namespace, Duration silence) {
        return connect(url() + parameters, namespace, silence);
    }

    private Backend connect(String jdbcUrl, String namespace, Duration silence) {
        HikariDataSource pool = Pools.of(jdbcUrl, POOL);
        poolsByNamespace
                .computeIfAbsent(namespace, any -> new CopyOnWriteArrayList<>())
                .add(pool);
        JdbcBackend backend = JdbcBackend.builder(pool)
                .namespace(namespace)
                .silenceLimit(silence)
                // A statement on a caller's own thread is cut after 1.4 s. A client that waits longer keeps no
                // connection.
                .keepConnections(silence.compareTo(CheckedRun.SLACK) > 0 ? 0 : WARM)
                .build();
        return new PooledBackend(backend, pool);
    }

    @Override
    public WorkerSetup workers(List<String> addresses, String namespace) {
        return WorkerSetup.of(JdbcForWorkers.class, url(addresses), namespace);
    }

    /** Through a proxy, every request carries the text of its statement, which the driver otherwise sends only once. */
    private String url(List<String> addresses) {
        String direct = server.node().address();
        if (addresses.get(0).equals(direct)) {
            return url();
        }
        String proxied = url().replace(direct, addresses.get(0));
        return dialect == Dialect.POSTGRESQL ? proxied + "&prepareThreshold=0" : proxied;
    }

    /**
     * The requests of MariaDB and MySQL name a prepared statement of their connection, so no other connection can send
     * them.
     */
    @Override
    public Set<FaultTrait> traits() {
        return dialect == Dialect.POSTGRESQL
                ? Set.of(FaultTrait.DURABLE, FaultTrait.REPLAYABLE_REQUESTS)
                : Set.of(FaultTrait.DURABLE);
    }

    @Override
    public Instant serverTime() {
        return Instant.EPOCH.plus(number("SELECT " + dialect.now()), ChronoUnit.MICROS);
    }

    @Override
    public Optional<Duration> grantsWithoutPushWithin() {
        return dialect == Dialect.POSTGRESQL ? Optional.of(handsOverWithin()) : Optional.empty();
    }

    /** On PostgreSQL each client keeps one connection to listen. */
    @Override
    public OptionalLong idleConnections(int clients) {
        return OptionalLong.of(dialect == Dialect.POSTGRESQL ? clients : 0);
    }

    @Override
    public OptionalInt maxConnections() {
        return OptionalInt.of(POOL);
    }

    @Override
    public StoreState state(String namespace) {
        return new Tables(namespace);
    }

    @Override
    public SqlRequests requests() {
        return new SqlRequests(dialect);
    }

    private final class Tables implements StoreState {
        private final String namespace;

        Tables(String namespace) {
            this.namespace = namespace;
        }

        @Override
        public long recordedGrant(LockKey key) {
            return number(
                    "SELECT number FROM interlock_lock WHERE namespace = ? AND name = ? AND owner IS NOT NULL",
                    namespace,
                    key.name());
        }

        @Override
        public long lastNumber(LockKey key) {
            return number("SELECT number FROM interlock_lock WHERE namespace = ? AND name = ?", namespace, key.name());
        }

        @Override
        public long millisLeft(LockKey key) {
            return number(
                    "SELECT (GREATEST(lease_end, record_end) - "
                            + dialect.now()
                            + ") / 1000 FROM interlock_lock WHERE namespace = ? AND name = ? AND owner IS NOT NULL",
                    namespace,
                    key.name());
        }

        @Override
        public boolean hasQueue(LockKey key) {
            return number(
                            "SELECT COUNT(*) FROM interlock_waiter WHERE namespace = ? AND name = ?",
                            namespace,
                            key.name())
                    > 0;
        }

        @Override
        public List<String> leftovers() {
            String now = dialect.now();
            long rows = number(
                    "SELECT (SELECT COUNT(*) FROM interlock_lock WHERE namespace = ? AND (owner IS NOT NULL"
                            + " AND GREATEST(lease_end, record_end) > " + now + ")"
                            + ") + (SELECT COUNT(*) FROM interlock_holder WHERE namespace = ? AND record_end > " + now
                            + ") + (SELECT COUNT(*) FROM interlock_waiter WHERE namespace = ?)",
                    namespace,
                    namespace,
                    namespace);
            return rows == 0 ? List.of() : List.of(rows + " rows of holders and waiters");
        }

        /** The connections that the clients have taken from their pools. */
        @Override
        public long connectionsInUse() {
            return poolsByNamespace.getOrDefault(namespace, List.of()).stream()
                    .filter(pool -> !pool.isClosed())
                    .mapToLong(pool -> pool.getHikariPoolMXBean().getActiveConnections())
                    .sum();
        }
    }

    /**
     * The statements of the backend on the wire. They do not show the key.
     *
     * @param dialect the dialect of the statements
     */
    record SqlRequests(Dialect dialect) implements StoreRequests {
        /** Requests that carry this statement, recognised by its beginning. */
        Matching statement(String name) {
            return Matching.requestContaining(beginningOf(name));
        }

        private String beginningOf(String name) {
            String text = new Statements(dialect, new StatementTimeouts()).get(name);
            return text.substring(0, text.indexOf('?'));
        }

        @Override
        public Matching acquire(LockKey key) {
            return statement("take");
        }

        @Override
        public Optional<Matching> firstAcquire(LockKey key) {
            return Optional.of(statement("take-new"));
        }

        @Override
        public Matching renew(LockKey key) {
            return statement("extend");
        }

        @Override
        public Matching anyRenewal(LockKey key) {
            List<String> beginnings = (dialect == Dialect.POSTGRESQL
                            ? Stream.of("extend", "extend-many", "lock-unlocked-rows")
                            : Stream.of("extend", "lock-unlocked-rows"))
                    .map(this::beginningOf)
                    .toList();
            return Matching.request(bytes -> {
                String message = new String(bytes, StandardCharsets.ISO_8859_1);
                return beginnings.stream().anyMatch(message::contains);
            });
        }

        @Override
        public Matching release(LockKey key) {
            return statement("release");
        }

        /** The server's reply that one row was changed, and on MariaDB and MySQL to a number of ours. */
        @Override
        public Optional<Matching> grantReply() {
            if (dialect == Dialect.POSTGRESQL) {
                return Optional.of(Matching.replyContaining("UPDATE 1"));
            }
            // An OK packet: header, one row, and an eight-byte number.
            return Optional.of(Matching.reply(
                    bytes -> bytes.length > 14 && bytes[4] == 0 && bytes[5] == 1 && bytes[6] == (byte) 0xfe));
        }
    }

    // ---- queries ------------------------------------------------------------------------------------------------

    /**
     * Returns the number that the query selects, or -1 if it selects no row. Names are bound as the dialect stores
     * them.
     */
    long number(String sql, String... names) {
        try (Connection connection = DriverManager.getConnection(url());
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < names.length; i++) {
                dialect.setName(statement, i + 1, names[i]);
            }
            try (ResultSet found = statement.executeQuery()) {
                return found.next() ? found.getLong(1) : -1;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(url());
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /** Ends all sessions except its own, as an operator would, and returns how many it ended. */
    int endSessions() {
        String list = dialect == Dialect.POSTGRESQL
                ? "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                : "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()";
        String end = server instanceof PostgresServer ? "SELECT pg_terminate_backend(%d)" : "KILL CONNECTION %d";
        int ended = 0;
        try (Connection connection = DriverManager.getConnection(url());
                var asking = connection.createStatement();
                var ending = connection.createStatement();
                ResultSet sessions = asking.executeQuery(list)) {
            while (sessions.next()) {
                try {
                    ending.execute(String.format(end, sessions.getLong(1)));
                    ended++;
                } catch (SQLException e) {
                    // The session has ended already.
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(list + ": " + e.getMessage(), e);
        }
        return ended;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws SQLException {
        server.beforeAll(context);
        url = server.freshDatabase();
        try (HikariDataSource pool = Pools.of(url, 1)) {
            JdbcBackend.builder(pool).createSchemaIfMissing().build();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        server.afterAll(context);
    }
}
