package dev.interlock.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two concurrent transactions at one fence, in every relevant order and isolation level. A stale transaction never
 * passes. A transaction that passes reads what was written before it. It may get a conflict first; then a retry passes.
 */
@Tag("server")
class FenceIsolationTest {
    @RegisterExtension
    static final EachDatabase databases = new EachDatabase();

    private static final JdbcFence FENCE = JdbcFence.inTable();
    private static final Map<String, Integer> LEVELS = Map.of(
            "READ COMMITTED", Connection.TRANSACTION_READ_COMMITTED,
            "REPEATABLE READ", Connection.TRANSACTION_REPEATABLE_READ,
            "SERIALIZABLE", Connection.TRANSACTION_SERIALIZABLE);

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            FENCE.createSchemaIfMissing(databases.source(dialect));
            FENCE.createSchemaIfMissing(databases.source(dialect));
            TestTransactions.script(
                    databases.source(dialect),
                    "CREATE TABLE counter (id VARCHAR(64) PRIMARY KEY, amount BIGINT NOT NULL)",
                    "CREATE TABLE unrelated (id INT PRIMARY KEY)",
                    "INSERT INTO unrelated (id) VALUES (1)",
                    "INSERT INTO counter (id, amount) VALUES ('another', 1)");
        }
    }

    /** Every combination of database and isolation level that the fence supports. */
    static Stream<Arguments> supported() {
        return Stream.of(Dialect.values())
                .flatMap(dialect -> LEVELS.keySet().stream().sorted().map(level -> Arguments.of(dialect, level)))
                .filter(it -> it.get()[0] != Dialect.H2 || !it.get()[1].equals("REPEATABLE READ"));
    }

    /** H2 would keep the old snapshot of a table that was read before, and would not report that. */
    @Test
    void repeatableReadOfH2IsRefused() throws SQLException {
        try (TestTransactions transactions = open(Dialect.H2)) {
            Connection connection = transactions.begin(Connection.TRANSACTION_REPEATABLE_READ);
            Lease lease = transactions.locks().acquire(transactions.key);
            assertThatThrownBy(() -> FENCE.raise(connection, lease))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("REPEATABLE READ")
                    .hasMessageContaining("SERIALIZABLE");
        }
    }

    private static TestTransactions open(Dialect dialect) throws SQLException {
        TestTransactions transactions = new TestTransactions(databases.source(dialect));
        try (Connection connection = databases.source(dialect).getConnection()) {
            TestTransactions.execute(
                    connection, "INSERT INTO counter (id, amount) VALUES (?, 0)", transactions.key.name());
        }
        return transactions;
    }

    private static void write(Connection connection, TestTransactions transactions, long amount) throws SQLException {
        TestTransactions.execute(
                connection, "UPDATE counter SET amount = ? WHERE id = ?", amount, transactions.key.name());
    }

    private static long read(Connection connection, TestTransactions transactions) throws SQLException {
        return TestTransactions.number(connection, "SELECT amount FROM counter WHERE id = ?", transactions.key.name());
    }

    @ParameterizedTest
    @MethodSource("supported")
    void newerTokenPassesAfterTheFirstRaiseOfAnOlderOne(Dialect dialect, String level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease old = transactions.former();
            Lease current = transactions.locks().acquire(transactions.key);
            Connection one = transactions.begin(LEVELS.get(level));
            Connection two = transactions.begin(LEVELS.get(level));
            FENCE.raise(one, old);
            write(one, transactions, 7);
            CompletableFuture<Void> raised = transactions.start(() -> FENCE.raise(two, current));
            assertThat(raised).as("raise before the first transaction commits").isNotDone();
            one.commit();
            TestTransactions.repeat(two, raised, () -> FENCE.raise(two, current));
            assertThat(read(two, transactions))
                    .as("amount seen by the second transaction")
                    .isEqualTo(7);
            two.commit();
            assertThatThrownBy(() -> FENCE.check(one, old)).isInstanceOf(StaleTokenException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void olderTokenIsRefusedAfterTheFirstRaiseOfANewerOne(Dialect dialect, String level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease old = transactions.former();
            Lease current = transactions.locks().acquire(transactions.key);
            Connection one = transactions.begin(LEVELS.get(level));
            Connection two = transactions.begin(LEVELS.get(level));
            FENCE.raise(one, current);
            CompletableFuture<Void> raised = transactions.start(() -> FENCE.raise(two, old));
            assertThat(raised).isNotDone();
            one.commit();
            assertThatThrownBy(() -> TestTransactions.repeat(two, raised, () -> FENCE.raise(two, old)))
                    .isInstanceOfSatisfying(StaleTokenException.class, refused -> {
                        assertThat(refused.refused()).isEqualTo(old.token());
                        assertThat(refused.newest()).isEqualTo(current.token());
                    });
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void raiseThatWasRolledBackRefusesNoToken(Dialect dialect, String level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease old = transactions.former();
            Lease current = transactions.locks().acquire(transactions.key);
            Connection one = transactions.begin(LEVELS.get(level));
            Connection two = transactions.begin(LEVELS.get(level));
            FENCE.raise(one, current);
            CompletableFuture<Void> raised = transactions.start(() -> FENCE.raise(two, old));
            assertThat(raised).isNotDone();
            one.rollback();
            TestTransactions.repeat(two, raised, () -> FENCE.raise(two, old));
            two.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void newerTokenWaitsUntilACheckedTransactionCommits(Dialect dialect, String level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease old = transactions.former();
            Lease current = transactions.locks().acquire(transactions.key);
            Connection one = transactions.begin(LEVELS.get(level));
            FENCE.raise(one, old);
            one.commit();
            Connection two = transactions.begin(LEVELS.get(level));
            FENCE.check(one, old);
            CompletableFuture<Void> raised = transactions.start(() -> FENCE.raise(two, current));
            assertThat(raised).isNotDone();
            write(one, transactions, 7);
            one.commit();
            TestTransactions.repeat(two, raised, () -> FENCE.raise(two, current));
            assertThat(read(two, transactions))
                    .as("amount seen by the new holder")
                    .isEqualTo(7);
            two.commit();
        }
    }

    /** The token in the snapshot equals the current one, so only {@code changes} shows that the snapshot is old. */
    @ParameterizedTest
    @MethodSource("supported")
    void raiseNeverPassesInASnapshotOlderThanTheLatestWrite(Dialect dialect, String level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease old = transactions.former();
            Lease current = transactions.locks().acquire(transactions.key);
            Connection one = transactions.begin(LEVELS.get(level));
            FENCE.raise(one, old);
            one.commit();
            Connection two = transactions.begin(LEVELS.get(level));
            TestTransactions.number(two, "SELECT amount FROM counter WHERE id = 'another'");
            FENCE.check(one, old);
            write(one, transactions, 7);
            one.commit();
            CompletableFuture<Void> raised = transactions.start(() -> FENCE.raise(two, current));
            int conflicts = TestTransactions.repeat(two, raised, () -> FENCE.raise(two, current));
            assertThat(read(two, transactions)).isEqualTo(7);
            // SERIALIZABLE on MySQL and MariaDB does not read from snapshots.
            boolean fromSnapshot =
                    !level.equals("READ COMMITTED") && !(level.equals("SERIALIZABLE") && dialect.isMySql());
            assertThat(conflicts).isEqualTo(fromSnapshot ? 1 : 0);
            two.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void firstRaiseNeverPassesInASnapshotOlderThanTheFence(Dialect dialect, String level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease old = transactions.former();
            Lease current = transactions.locks().acquire(transactions.key);
            Connection one = transactions.begin(LEVELS.get(level));
            Connection two = transactions.begin(LEVELS.get(level));
            TestTransactions.number(two, "SELECT id FROM unrelated");
            FENCE.raise(one, old);
            write(one, transactions, 7);
            one.commit();
            CompletableFuture<Void> raised = transactions.start(() -> FENCE.raise(two, current));
            TestTransactions.repeat(two, raised, () -> FENCE.raise(two, current));
            assertThat(read(two, transactions)).isEqualTo(7);
            two.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void raiseWaitsUntilATransactionWithASharedCheckCommits(Dialect dialect, String level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            for (String fence : List.of("missing", "present")) {
                Lease reader =
                        transactions.locks().with(transactions.key).shared().acquire();
                reader.close();
                Lease current = transactions.locks().acquire(transactions.key);
                Connection one = transactions.begin(LEVELS.get(level));
                Connection two = transactions.begin(LEVELS.get(level));
                FENCE.check(one, reader);
                CompletableFuture<Void> raised = transactions.start(() -> FENCE.raise(two, current));
                assertThat(raised).as("raise while the fence row is %s", fence).isNotDone();
                one.commit();
                TestTransactions.repeat(two, raised, () -> FENCE.raise(two, current));
                two.commit();
                current.close();
                assertThatThrownBy(() -> FENCE.check(one, reader)).isInstanceOf(StaleTokenException.class);
                one.rollback();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void sharedCheckNeverPassesInASnapshotOlderThanTheLatestWrite(Dialect dialect, String level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease old = transactions.former();
            Lease reader = transactions.locks().with(transactions.key).shared().acquire();
            Connection one = transactions.begin(LEVELS.get(level));
            Connection two = transactions.begin(LEVELS.get(level));
            TestTransactions.number(two, "SELECT id FROM unrelated");
            FENCE.raise(one, old);
            write(one, transactions, 7);
            one.commit();
            CompletableFuture<Void> checked = transactions.start(() -> FENCE.check(two, reader));
            TestTransactions.repeat(two, checked, () -> FENCE.check(two, reader));
            assertThat(read(two, transactions)).isEqualTo(7);
        }
    }

    /** H2 has no shared row locks, so there one check waits for the other. */
    @ParameterizedTest
    @MethodSource("supported")
    void sharedChecksDoNotWaitForEachOther(Dialect dialect, String level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease before = transactions.former();
            Lease one = transactions.locks().with(transactions.key).shared().acquire();
            Connection first = transactions.begin(LEVELS.get(level));
            FENCE.raise(first, before);
            first.commit();
            FENCE.check(first, one);
            Connection second = transactions.begin(LEVELS.get(level));
            CompletableFuture<Void> checked = transactions.start(() -> FENCE.check(second, one));
            if (dialect == Dialect.H2) {
                first.commit();
            }
            TestTransactions.finish(checked);
        }
    }

    /** A lock on the gap of a missing row would block other locks, and two inserts could deadlock. */
    @ParameterizedTest
    @MethodSource("supported")
    void firstRaisesOfDifferentLocksDoNotWaitForEachOther(Dialect dialect, String level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            String prefix = UUID.randomUUID().toString();
            Connection one = transactions.begin(LEVELS.get(level));
            Connection two = transactions.begin(LEVELS.get(level));
            for (int i = 0; i < 4; i++) {
                Lease first = transactions.locks().acquire(LockKey.of(prefix + i + "a"));
                Lease second = transactions.locks().acquire(LockKey.of(prefix + i + "b"));
                FENCE.raise(i % 2 == 0 ? one : two, first);
                FENCE.raise(i % 2 == 0 ? two : one, second);
            }
            one.commit();
            two.commit();
        }
    }

    /** H2 does not detect this deadlock. Its lock timeout ends it. */
    @ParameterizedTest
    @EnumSource
    void deadlockOfTwoFencesIsResolvedByAbortingOneTransaction(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            String prefix = UUID.randomUUID().toString();
            Lease a = transactions.locks().acquire(LockKey.of(prefix, "a"));
            Lease b = transactions.locks().acquire(LockKey.of(prefix, "b"));
            Connection one = transactions.begin();
            Connection two = transactions.begin();
            FENCE.raise(one, a);
            FENCE.raise(two, b);
            CompletableFuture<Void> forward = transactions.start(() -> FENCE.raise(one, b));
            CompletableFuture<Void> backward = transactions.start(() -> FENCE.raise(two, a));
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> forward.isCompletedExceptionally() || backward.isCompletedExceptionally());
            boolean forwardFailed = forward.isCompletedExceptionally();
            assertThatThrownBy(() -> TestTransactions.finish(forwardFailed ? forward : backward))
                    .isInstanceOf(dialect == Dialect.H2 ? LockTimeoutException.class : ConflictException.class);
            (forwardFailed ? one : two).rollback();
            if (dialect != Dialect.H2) {
                TestTransactions.finish(forwardFailed ? backward : forward);
                (forwardFailed ? two : one).commit();
            }
        }
    }
}
