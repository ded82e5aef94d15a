package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Behaviour that must be the same on all databases. */
@Tag("full")
@Tag("server")
class EveryDialectTest {
    @RegisterExtension
    static final Databases databases = new Databases();

    private static String namespace() {
        return UUID.randomUUID().toString();
    }

    private static Interlock open(Dialect dialect, String namespace) {
        return Interlock.over(databases.backend(dialect).namespace(namespace).build());
    }

    @ParameterizedTest
    @EnumSource
    void timeOfTheGrantIsKnownBeforeAndAfterARenewal(Dialect dialect) throws Exception {
        LockKey key = LockKey.of("since");
        try (Interlock interlock = open(dialect, namespace())) {
            interlock.locks().acquire(key).close(); // creates the row
            try (Lease lease = interlock
                    .locks()
                    .with(key)
                    .leaseFor(Duration.ofSeconds(20))
                    .renew(false)
                    .acquire()) {
                CheckedRun.pass(Duration.ofMillis(300));
                assertThat(heldFor(interlock, key)).isBetween(Duration.ofMillis(300), Duration.ofSeconds(10));
                for (int longer = 40; longer <= 60; longer += 20) {
                    lease.renew(Duration.ofSeconds(longer));
                    assertThat(heldFor(interlock, key)).isBetween(Duration.ofMillis(300), Duration.ofSeconds(10));
                }
            }
        }
    }

    private static Duration heldFor(Interlock interlock, LockKey key) {
        return interlock.operator().inspect(key).orElseThrow().holders().get(0).heldFor();
    }

    /** X02, X06: one process holds all of them at the same time, and then another process does. */
    @ParameterizedTest
    @EnumSource
    void similarNamesAreDifferentLocks(Dialect dialect) {
        List<LockKey> keys = new ArrayList<>();
        for (String name : List.of(
                "Name",
                "name",
                "NAME",
                "é",
                "e\u0301",
                "name ",
                "name  ",
                " name",
                "name\u00A0",
                "x",
                "x\u200B",
                "ﬁ",
                "fi",
                "ß",
                "ss",
                "a'; DROP TABLE interlock_lock; --",
                "a\"b",
                "a`b",
                "a\\b",
                "a%b",
                "a_b",
                "?",
                "\uD83D\uDD12",
                "n".repeat(512),
                "n".repeat(511),
                "ü".repeat(256))) {
            keys.add(LockKey.of(name));
        }
        Collections.sort(keys);
        String namespace = namespace();
        for (int round = 0; round < 2; round++) {
            try (Interlock interlock = open(dialect, namespace)) {
                List<Lease> held = new ArrayList<>();
                for (LockKey key : keys) {
                    held.add(
                            interlock.locks().tryAcquire(key).orElseThrow(() -> new AssertionError(key + " is taken")));
                }
                assertThat(interlock
                                .operator()
                                .list("", Optional.empty(), 1_000)
                                .locks())
                        .extracting(LockSnapshot::key)
                        .containsExactlyInAnyOrderElementsOf(keys);
                held.forEach(Lease::close);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void prefixOfAListIsTakenLiterally(Dialect dialect) {
        try (Interlock interlock = open(dialect, namespace())) {
            for (String name : List.of("a%1", "a_1", "ab1", "A%1", "b")) {
                assertThat(interlock.locks().tryAcquire(LockKey.of(name))).isPresent();
            }
            assertThat(interlock.operator().list("a%", Optional.empty(), 100).locks())
                    .extracting(lock -> lock.key().name())
                    .containsExactly("a%1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void tokensGrowThroughReleaseAndPurge(Dialect dialect) {
        String namespace = namespace();
        LockKey key = LockKey.of("purged");
        FencingToken last;
        try (Interlock interlock = open(dialect, namespace)) {
            last = token(interlock, key);
            FencingToken next = token(interlock, key);
            assertThat(next).isGreaterThan(last);
            last = next;
        }
        JdbcBackend backend = databases.backend(dialect).namespace(namespace).build();
        assertThat(backend.purge(Duration.ofHours(1))).isZero();
        // The lease of a released lock still counts as use.
        try (Interlock interlock = Interlock.over(backend)) {
            try (Lease lease =
                    interlock.locks().with(key).leaseFor(Duration.ofMillis(500)).acquire()) {
                last = lease.token();
            }
            Awaitility.await().until(() -> backend.purge(Duration.ZERO) == 1);
            assertThat(token(interlock, key)).isGreaterThan(last);
        }
    }

    /** New names trigger a purge; the application does not have to. */
    @ParameterizedTest
    @EnumSource
    void rowUnusedForAnHourIsPurgedAfterManyNewNames(Dialect dialect) throws Exception {
        String namespace = namespace();
        LockKey old = LockKey.of("old");
        try (Interlock interlock = open(dialect, namespace)) {
            FencingToken last = token(interlock, old);
            assertThat(onRow(
                            dialect,
                            "UPDATE interlock_lock SET lease_end = lease_end - 7200000000, record_end = 0",
                            namespace,
                            old))
                    .isEqualTo(1);
            for (int set = 0; set < 33; set++) {
                String prefix = "new-" + set + "-";
                interlock
                        .locks()
                        .with(IntStream.range(0, 32)
                                .mapToObj(i -> LockKey.of(prefix + i))
                                .toList())
                        .acquire()
                        .close();
            }
            // The update count shows whether the row exists.
            Awaitility.await()
                    .until(() ->
                            onRow(dialect, "UPDATE interlock_lock SET lease_end = lease_end - 1", namespace, old) == 0);
            assertThat(token(interlock, old)).isGreaterThan(last);
        }
    }

    private static int onRow(Dialect dialect, String update, String namespace, LockKey key) throws SQLException {
        try (Connection connection = databases.pool(dialect).getConnection();
                PreparedStatement statement =
                        connection.prepareStatement(update + " WHERE namespace = ? AND name = ?")) {
            dialect.setName(statement, 1, namespace);
            dialect.setName(statement, 2, key.name());
            return statement.executeUpdate();
        }
    }

    private static FencingToken token(Interlock interlock, LockKey key) {
        try (Lease lease = interlock.locks().acquire(key)) {
            return lease.token();
        }
    }

    /**
     * S04: a pool of two connections, one of which PostgreSQL uses for notifications, and more threads than
     * connections.
     */
    @ParameterizedTest
    @EnumSource
    void smallPoolSufficesAndItsConnectionsAreRestored(Dialect dialect) throws Exception {
        String namespace = namespace();
        int[] counter = new int[1];
        try (HikariDataSource small = Pools.peculiar(databases.pool(dialect).getJdbcUrl(), 2)) {
            String before = peculiarities(dialect, small);
            try (Interlock interlock = Interlock.over(
                    JdbcBackend.builder(small).namespace(namespace).build())) {
                List<Thread> threads = IntStream.range(0, 8)
                        .mapToObj(i -> new Thread(() -> {
                            for (int n = 0; n < 10; n++) {
                                interlock
                                        .locks()
                                        .with(LockKey.of("pooled"))
                                        .waitAtMost(Duration.ofSeconds(30))
                                        .run(lease -> counter[0]++);
                            }
                        }))
                        .toList();
                threads.forEach(Thread::start);
                for (Thread thread : threads) {
                    thread.join();
                }
            }
            assertThat(counter[0]).isEqualTo(80);
            Awaitility.await().until(() -> small.getHikariPoolMXBean().getActiveConnections() == 0);
            assertThat(peculiarities(dialect, small)).isEqualTo(before);
        }
    }

    /** The settings of both connections that an application may have changed and that we change for our own work. */
    private static String peculiarities(Dialect dialect, HikariDataSource small) throws SQLException {
        String limits = switch (dialect) {
            case POSTGRESQL -> "SELECT current_setting('idle_in_transaction_session_timeout')";
            case MYSQL, MARIADB -> "SELECT @@wait_timeout";
            case H2 -> "SELECT LOCK_TIMEOUT()";
        };
        StringBuilder found = new StringBuilder();
        try (Connection one = small.getConnection();
                Connection other = small.getConnection()) {
            for (Connection connection : List.of(one, other)) {
                found.append(connection.getAutoCommit())
                        .append(' ')
                        .append(connection.getTransactionIsolation())
                        .append(' ')
                        .append(dialect == Dialect.H2 ? "" : connection.getNetworkTimeout());
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery(limits)) {
                    assertThat(row.next()).isTrue();
                    found.append(' ').append(row.getString(1)).append('\n');
                }
            }
        }
        return found.toString();
    }

    @ParameterizedTest
    @EnumSource
    void invalidOptionsAreRefused(Dialect dialect) {
        JdbcBackend.Builder builder = databases.backend(dialect);
        assertThatThrownBy(() -> builder.namespace("a b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.namespace("x".repeat(65))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.silenceLimit(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.build().purge(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
