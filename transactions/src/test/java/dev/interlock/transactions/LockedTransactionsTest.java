package dev.interlock.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.testkit.servers.MySqlServer;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lock is acquired before the transaction begins and released after it has ended, also after a failure. */
@Tag("server")
class LockedTransactionsTest {
    @RegisterExtension
    static final EachDatabase databases = new EachDatabase();

    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.shared();

    @RegisterExtension
    static final MySqlServer mySql = MySqlServer.shared();

    private static final JdbcFence FENCE = JdbcFence.inTable();

    private final InMemoryBackend store = InMemoryBackend.create();
    private final Interlock interlock =
            Interlock.builder(store).keepBackendOpen().build();
    private final Interlock other = Interlock.builder(store).keepBackendOpen().build();
    private final LockKey key = LockKey.of("document", UUID.randomUUID().toString());

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            FENCE.createSchemaIfMissing(databases.source(dialect));
            TestTransactions.script(
                    databases.source(dialect), "CREATE TABLE document (id VARCHAR(80) PRIMARY KEY, text VARCHAR(80))");
        }
    }

    @AfterEach
    void close() {
        interlock.close();
        other.close();
    }

    private boolean isFree() {
        return other.locks()
                .tryAcquire(key)
                .map(lease -> {
                    lease.close();
                    return true;
                })
                .orElse(false);
    }

    private void insert(Connection connection, String text) throws SQLException {
        TestTransactions.execute(connection, "INSERT INTO document (id, text) VALUES (?, ?)", key.name(), text);
    }

    private long documents(Dialect dialect) throws SQLException {
        try (Connection connection = databases.source(dialect).getConnection()) {
            return TestTransactions.number(connection, "SELECT COUNT(*) FROM document WHERE id = ?", key.name());
        }
    }

    @ParameterizedTest
    @EnumSource
    void lockIsHeldFromBeforeTheTransactionUntilAfterItsEnd(Dialect dialect) throws Exception {
        List<String> unlocked = new ArrayList<>();
        List<String> moments = new ArrayList<>();
        LockedTransactions transactions =
                LockedTransactions.over(ObservedSource.over(databases.source(dialect), (moment, connection) -> {
                    moments.add(moment);
                    if (isFree()) {
                        unlocked.add(moment);
                    }
                }));
        String result = transactions.call(interlock.locks().with(key), (connection, lease) -> {
            insert(connection, lease.token().toString());
            return "done";
        });
        assertThat(result).isEqualTo("done");
        assertThat(unlocked).as("moments at which the lock was free").isEmpty();
        assertThat(moments).containsSubsequence("borrowed", "after prepareStatement", "after commit", "after close");
        assertThat(isFree()).isTrue();
        assertThat(documents(dialect)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void exceptionOfTheWorkIsThrownAfterARollback(Dialect dialect) throws Exception {
        List<Boolean> autoCommitAtClose = new ArrayList<>();
        LockedTransactions transactions =
                LockedTransactions.over(ObservedSource.over(databases.source(dialect), (moment, connection) -> {
                    if (moment.equals("before close")) {
                        autoCommitAtClose.add(connection.getAutoCommit());
                    }
                }));
        assertThatThrownBy(() -> transactions.run(interlock.locks().with(key), (connection, lease) -> {
                    insert(connection, "a");
                    throw new IOException("full");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("full");
        assertThat(documents(dialect)).isZero();
        assertThat(isFree()).isTrue();
        assertThat(autoCommitAtClose).containsExactly(true);
    }

    @ParameterizedTest
    @EnumSource
    void workUnderALostLeaseIsNotCommitted(Dialect dialect) throws Exception {
        LockedTransactions transactions = LockedTransactions.over(databases.source(dialect));
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> transactions.run(
                        interlock
                                .locks()
                                .with(key)
                                .leaseFor(Duration.ofMillis(200))
                                .renew(false),
                        (connection, lease) -> {
                            insert(connection, "a");
                            await().until(() -> !lease.isHeld());
                        }));
        assertThat(documents(dialect)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void holderThatLostItsLockBeforeTheTransactionIsRefusedByTheFence(Dialect dialect) throws Exception {
        AtomicBoolean lost = new AtomicBoolean();
        LockedTransactions fenced =
                LockedTransactions.over(databases.source(dialect)).fencedBy(FENCE);
        LockedTransactions paused = LockedTransactions.over(ObservedSource.over(
                        databases.source(dialect), (moment, it) -> {
                            if (moment.equals("borrowed") && lost.compareAndSet(false, true)) {
                                interlock.operator().forceRelease(key);
                                fenced.run(other.locks().with(key), (connection, lease) -> insert(connection, "next"));
                            }
                        }))
                .fencedBy(FENCE);
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> paused.run(
                        interlock.locks().with(key),
                        (connection, lease) ->
                                TestTransactions.execute(connection, "UPDATE document SET text = 'stale'")));
        try (Connection connection = databases.source(dialect).getConnection()) {
            assertThat(TestTransactions.number(
                            connection, "SELECT COUNT(*) FROM document WHERE id = ? AND text = 'next'", key.name()))
                    .isEqualTo(1);
        }
    }

    /**
     * The transaction has lost its lock, but not the fence: the next holder waits at the fence and reads its commit.
     */
    @ParameterizedTest
    @EnumSource
    void holderThatLostItsLockDuringTheTransactionCommitsBeforeTheNext(Dialect dialect) throws Exception {
        LockedTransactions fenced =
                LockedTransactions.over(databases.source(dialect)).fencedBy(FENCE);
        List<CompletableFuture<Long>> next = new ArrayList<>();
        fenced.run(interlock.locks().with(key), (connection, lease) -> {
            interlock.operator().forceRelease(key);
            next.add(CompletableFuture.supplyAsync(() -> {
                try {
                    return fenced.call(
                            other.locks().with(key),
                            (mine, held) -> TestTransactions.number(
                                    mine, "SELECT COUNT(*) FROM document WHERE id = ?", key.name()));
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }));
            await().until(() -> !isFree());
            insert(connection, "first");
        });
        assertThat(next.get(0).get()).as("rows seen by the next holder").isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void everyKeyOfALeaseSetIsFenced(Dialect dialect) throws Exception {
        LockKey second = LockKey.of("document", UUID.randomUUID().toString());
        LockedTransactions fenced =
                LockedTransactions.over(databases.source(dialect)).fencedBy(FENCE);
        Lease former = interlock.locks().acquire(second);
        former.close();
        fenced.run(interlock.locks().with(List.of(second, key)), (connection, leases) -> {
            assertThat(leases.keys()).hasSize(2);
            insert(connection, "a");
        });
        try (TestTransactions transactions = new TestTransactions(databases.source(dialect))) {
            Connection connection = transactions.begin();
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.check(connection, former));
        }
    }

    @Test
    void sharedLeaseIsCheckedAtTheFence() throws Exception {
        LockedTransactions fenced =
                LockedTransactions.over(databases.source(Dialect.POSTGRESQL)).fencedBy(FENCE);
        long seen = fenced.call(
                interlock.locks().with(key).shared(),
                (connection, lease) ->
                        TestTransactions.number(connection, "SELECT COUNT(*) FROM document WHERE id = ?", key.name()));
        assertThat(seen).isZero();
    }

    @Test
    void noConnectionIsBorrowedWhileTheLockIsWaitedFor() {
        List<String> moments = new ArrayList<>();
        LockedTransactions transactions = LockedTransactions.over(
                ObservedSource.over(databases.source(Dialect.H2), (moment, connection) -> moments.add(moment)));
        try (Lease held = other.locks().acquire(key)) {
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> transactions.run(
                            interlock.locks().with(key).waitAtMost(Duration.ofMillis(50)), (connection, lease) -> {}));
            assertThat(held.isHeld()).isTrue();
        }
        assertThat(moments).isEmpty();
    }

    @Test
    void unansweredCommitIsUnknownOnPostgres() throws Exception {
        try (LostCommits database = LostCommits.of(postgres)) {
            commitIsUnknown(database);
        }
    }

    @Test
    void unansweredCommitIsUnknownOnMySql() throws Exception {
        try (LostCommits database = LostCommits.of(mySql)) {
            commitIsUnknown(database);
        }
    }

    private void commitIsUnknown(LostCommits database) throws SQLException {
        TestTransactions.script(
                database.direct, "CREATE TABLE document (id VARCHAR(80) PRIMARY KEY, text VARCHAR(80))");
        LockedTransactions transactions = LockedTransactions.over(database.cut);
        transactions.run(interlock.locks().with(key), (connection, lease) -> {});
        database.begin();
        assertThatExceptionOfType(CommitUnknownException.class)
                .isThrownBy(() ->
                        transactions.run(interlock.locks().with(key), (connection, lease) -> insert(connection, "a")))
                .satisfies(unknown -> assertThat(unknown.getSQLState()).isEqualTo("08007"));
        assertThat(isFree()).isTrue();
        try (Connection connection = database.direct.getConnection()) {
            assertThat(TestTransactions.number(connection, "SELECT COUNT(*) FROM document"))
                    .as("rows of the unanswered commit")
                    .isEqualTo(1);
        }
    }
}
