package dev.interlock.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockInterruptedException;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work is retried after a conflict, and only then. */
@Tag("server")
class OptimisticRetryTest {
    @RegisterExtension
    static final EachDatabase databases = new EachDatabase();

    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.shared();

    private static final int THREADS = 3;
    private static final int INCREMENTS = 10;

    private final AtomicInteger tries = new AtomicInteger();

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            TestTransactions.script(
                    databases.source(dialect),
                    "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL, version INT NOT NULL)",
                    "INSERT INTO account (id, balance, version) VALUES (1, 0, 0), (2, 0, 0), (3, 0, 0)");
        }
    }

    private static int update(Connection connection, long balance, int id, long version) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?")) {
            statement.setLong(1, balance);
            statement.setInt(2, id);
            statement.setLong(3, version);
            return statement.executeUpdate();
        }
    }

    private static void inThreads(int count, TestTransactions.Step step) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                all.add(threads.submit(() -> {
                    step.run();
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void noIncrementIsLost(Dialect dialect) throws Exception {
        OptimisticRetry retry = OptimisticRetry.over(databases.source(dialect)).atMost(100);
        inThreads(THREADS, () -> {
            for (int i = 0; i < INCREMENTS; i++) {
                retry.run(connection -> {
                    long both = TestTransactions.number(
                            connection, "SELECT balance * 1000 + version FROM account WHERE id = 1");
                    long version = both % 1_000;
                    long balance = both / 1_000;
                    OptimisticRetry.mustHit(update(connection, balance + 1, 1, version), "account 1");
                });
            }
        });
        long balance = OptimisticRetry.over(databases.source(dialect))
                .call(connection -> TestTransactions.number(connection, "SELECT balance FROM account WHERE id = 1"));
        assertThat(balance).isEqualTo(THREADS * INCREMENTS);
    }

    @ParameterizedTest
    @EnumSource
    void deadlockIsRetried(Dialect dialect) throws Exception {
        OptimisticRetry retry = OptimisticRetry.over(databases.source(dialect));
        CyclicBarrier bothHaveLockedARow = new CyclicBarrier(2);
        AtomicInteger threads = new AtomicInteger();
        inThreads(2, () -> {
            int first = threads.getAndIncrement() == 0 ? 2 : 3;
            AtomicInteger mine = new AtomicInteger();
            retry.run(connection -> {
                TestTransactions.execute(connection, "UPDATE account SET balance = balance + 1 WHERE id = ?", first);
                if (mine.getAndIncrement() == 0) {
                    try {
                        bothHaveLockedARow.await(1, TimeUnit.MINUTES);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
                TestTransactions.execute(
                        connection, "UPDATE account SET balance = balance + 1 WHERE id = ?", 5 - first);
            });
            tries.addAndGet(mine.get());
        });
        assertThat(tries).hasValueGreaterThan(2);
        try (Connection connection = databases.source(dialect).getConnection()) {
            assertThat(TestTransactions.number(connection, "SELECT SUM(balance) FROM account WHERE id > 1"))
                    .isEqualTo(4);
        }
    }

    @Test
    void conflictIsReportedAfterTheLastTry() {
        OptimisticRetry retry =
                OptimisticRetry.over(databases.source(Dialect.H2)).atMost(3);
        assertThatExceptionOfType(ConflictException.class)
                .isThrownBy(() -> retry.run(connection -> {
                    tries.incrementAndGet();
                    OptimisticRetry.mustHit(update(connection, 1, 1, -1), "account 1");
                }))
                .withMessageContaining("3 tries")
                .withMessageContaining("account 1")
                .satisfies(conflict -> assertThat(conflict.getSQLState()).isEqualTo("40001"));
        assertThat(tries).hasValue(3);
    }

    @Test
    void conflictWrappedByAFrameworkIsRetried() throws SQLException {
        OptimisticRetry.over(databases.source(Dialect.H2)).run(connection -> {
            if (tries.incrementAndGet() < 3) {
                throw new IllegalStateException(new SQLException("serialization failure", "40001"));
            }
        });
        assertThat(tries).hasValue(3);
    }

    @ParameterizedTest
    @EnumSource
    void constraintViolationIsNotRetried(Dialect dialect) {
        assertThatThrownBy(() -> OptimisticRetry.over(databases.source(dialect)).run(connection -> {
                    tries.incrementAndGet();
                    TestTransactions.execute(connection, "INSERT INTO account (id, balance, version) VALUES (1, 0, 0)");
                }))
                .isInstanceOf(SQLException.class)
                .isNotInstanceOf(ConflictException.class);
        assertThat(tries).hasValue(1);
    }

    @Test
    void exceptionOfTheWorkIsThrownAtOnce() {
        assertThatThrownBy(
                        () -> OptimisticRetry.over(databases.source(Dialect.H2)).run(connection -> {
                            tries.incrementAndGet();
                            throw new IOException("full");
                        }))
                .isInstanceOf(IOException.class);
        assertThat(tries).hasValue(1);
    }

    @Test
    void unansweredCommitIsNotRetried() throws Exception {
        try (LostCommits database = LostCommits.of(postgres)) {
            TestTransactions.script(database.direct, "CREATE TABLE done (id INT)");
            OptimisticRetry retry = OptimisticRetry.over(database.cut);
            retry.run(connection -> {});
            database.begin();
            assertThatExceptionOfType(CommitUnknownException.class)
                    .isThrownBy(() -> retry.run(connection -> {
                        tries.incrementAndGet();
                        TestTransactions.execute(connection, "INSERT INTO done (id) VALUES (1)");
                    }));
            assertThat(tries).hasValue(1);
            try (Connection connection = database.direct.getConnection()) {
                assertThat(TestTransactions.number(connection, "SELECT COUNT(*) FROM done"))
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void interruptEndsThePauseBeforeARetry() {
        OptimisticRetry retry = OptimisticRetry.over(databases.source(Dialect.H2));
        try {
            assertThatExceptionOfType(LockInterruptedException.class)
                    .isThrownBy(() -> retry.run(connection -> {
                        tries.incrementAndGet();
                        Thread.currentThread().interrupt();
                        throw new ConflictException("always", null);
                    }));
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
        assertThat(tries).hasValue(1);
    }

    @Test
    void invalidArgumentsAreRefused() {
        OptimisticRetry retry = OptimisticRetry.over(databases.source(Dialect.H2));
        assertThatIllegalArgumentException().isThrownBy(() -> retry.atMost(0));
        assertThatIllegalArgumentException().isThrownBy(() -> retry.atMost(101));
        assertThatIllegalStateException().isThrownBy(() -> OptimisticRetry.mustHit(2, "account 1"));
    }
}
