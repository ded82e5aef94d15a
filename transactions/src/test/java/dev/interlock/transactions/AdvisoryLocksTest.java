package dev.interlock.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Transaction-scoped advisory locks of PostgreSQL. Their relation to session locks is tested in interlock-jdbc. */
@Tag("server")
class AdvisoryLocksTest {
    private static final LockKey A = LockKey.of("seat", "a");
    private static final LockKey B = LockKey.of("seat", "b");
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(30);

    @RegisterExtension
    static final PostgresServer server = PostgresServer.shared();

    private static String url = "";

    private final AdvisoryLocks locks = AdvisoryLocks.create();
    private Connection one;
    private Connection other;

    @BeforeAll
    static void create() throws SQLException {
        url = server.freshDatabase();
    }

    @BeforeEach
    void open() throws SQLException {
        one = transaction();
        other = transaction();
    }

    private static Connection transaction() throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        return connection;
    }

    @AfterEach
    void close() throws SQLException {
        one.close();
        other.close();
    }

    private static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void lockIsHeldUntilTheCommit() throws Exception {
        locks.lock(one, List.of(A), LONG);
        assertThat(locks.tryLock(other, List.of(A))).isFalse();
        one.commit();
        assertThat(locks.tryLock(other, List.of(A))).isTrue();
    }

    @Test
    void lockEndsWithARollbackAndWithTheConnection() throws Exception {
        locks.lock(one, List.of(A), LONG);
        one.rollback();
        assertThat(locks.tryLock(other, List.of(A))).isTrue();
        other.close();
        locks.lock(one, List.of(A), LONG);
    }

    /** The first key is not locked any more, and the transaction can continue. */
    @Test
    void callThatMeetsALockedKeyNamesItAndLocksNothing() throws Exception {
        locks.lock(one, List.of(B), LONG);
        assertThatThrownBy(() -> locks.lock(other, List.of(A, B), SHORT))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("seat:b");
        assertThat(locks.tryLock(other, List.of(B, A))).isFalse();
        assertThat(query(other, "SELECT 1")).isEqualTo("1");
        assertThat(locks.tryLock(one, List.of(A))).isTrue();
    }

    @Test
    void waiterGetsTheLockWhenTheHolderCommits() throws Exception {
        locks.lock(one, List.of(A), LONG);
        CompletableFuture<Void> waiting = lockOnNewThread(other, List.of(A));
        assertThat(waiting).isNotDone();
        one.commit();
        waiting.get(30, TimeUnit.SECONDS);
        assertThat(locks.tryLock(one, List.of(A))).isFalse();
    }

    private CompletableFuture<Void> lockOnNewThread(Connection connection, List<LockKey> keys) {
        return onNewThread(() -> locks.lock(connection, keys, LONG));
    }

    /** If they deadlocked, PostgreSQL would abort one of them after a second. */
    @Test
    void callsWithKeysInOppositeOrderDoNotDeadlock() throws Exception {
        CompletableFuture<Void> forward = repeat(one, List.of(A, B));
        CompletableFuture<Void> backward = repeat(other, List.of(B, A));
        forward.get(60, TimeUnit.SECONDS);
        backward.get(60, TimeUnit.SECONDS);
    }

    private CompletableFuture<Void> repeat(Connection connection, List<LockKey> keys) {
        return onNewThread(() -> {
            for (int i = 0; i < 200; i++) {
                locks.lock(connection, keys, LONG);
                connection.commit();
            }
        });
    }

    private interface Work {
        void run() throws SQLException;
    }

    private static CompletableFuture<Void> onNewThread(Work work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (SQLException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    @Test
    void sharedHoldersCoexistAndExcludeExclusiveOnes() throws Exception {
        locks.lockShared(one, List.of(A), LONG);
        assertThat(locks.tryLockShared(other, List.of(A))).isTrue();
        try (Connection third = transaction()) {
            assertThat(locks.tryLock(third, List.of(A))).isFalse();
        }
    }

    @Test
    void lockTimeoutOfTheTransactionIsRestored() throws Exception {
        query(one, "SELECT set_config('lock_timeout', '1234ms', false)");
        one.commit();
        locks.lock(other, List.of(B), LONG);
        CompletableFuture<Void> waiting = lockOnNewThread(one, List.of(A, B));
        other.commit();
        waiting.get(30, TimeUnit.SECONDS);
        assertThat(query(one, "SHOW lock_timeout")).isEqualTo("1234ms");
        one.commit();
        locks.lock(other, List.of(B), LONG);
        assertThatThrownBy(() -> locks.lock(one, List.of(A, B), SHORT)).isInstanceOf(LockTimeoutException.class);
        assertThat(query(one, "SHOW lock_timeout")).isEqualTo("1234ms");
    }

    @Test
    void invalidArgumentsAndConnectionsAreRefused() throws Exception {
        one.setAutoCommit(true);
        assertThatThrownBy(() -> locks.lock(one, List.of(A), LONG))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("setAutoCommit(false)");
        assertThatThrownBy(() -> locks.tryLock(one, List.of(A))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> locks.tryLock(other, List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.lock(other, List.of(A), Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> AdvisoryLocks.inNamespace("a b")).isInstanceOf(IllegalArgumentException.class);
        try (Connection h2 = DriverManager.getConnection("jdbc:h2:mem:tx")) {
            h2.setAutoCommit(false);
            assertThatThrownBy(() -> locks.tryLock(h2, List.of(A)))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("PostgreSQL");
        }
    }
}
