package dev.interlock.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.jdbc.Databases;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.testkit.servers.MySqlServer;
import dev.interlock.testkit.servers.PostgresServer;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lock is taken before the transaction begins and released after it has ended, whatever happens in between. */
class LockedTransactionsTest {
    @RegisterExtension
    static final Databases databases = new Databases();

    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.shared();

    @RegisterExtension
    static final MySqlServer mySql = MySqlServer.shared();

    private static final JdbcFence FENCE = JdbcFence.inTable();

    private final InMemoryBackend store = InMemoryBackend.create();
    private final Interlock interlock =
            Interlock.builder(store).keepBackendOpen().build();
    private final Interlock other = Interlock.builder(store).keepBackendOpen().build();
    private final LockKey key = LockKey.of("note", UUID.randomUUID().toString());

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            FENCE.createSchemaIfMissing(databases.pool(dialect));
            Rivals.script(databases.pool(dialect), "CREATE TABLE note (id VARCHAR(80) PRIMARY KEY, text VARCHAR(80))");
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
        Rivals.execute(connection, "INSERT INTO note (id, text) VALUES (?, ?)", key.name(), text);
    }

    private long notes(Dialect dialect) throws SQLException {
        try (Connection connection = databases.pool(dialect).getConnection()) {
            return Rivals.number(connection, "SELECT COUNT(*) FROM note WHERE id = ?", key.name());
        }
    }

    @ParameterizedTest
    @EnumSource
    void lockIsHeldFromBeforeTheBeginningUntilAfterTheEnd(Dialect dialect) throws Exception {
        List<String> wrong = new ArrayList<>();
        List<String> moments = new ArrayList<>();
        LockedTransactions transactions =
                LockedTransactions.over(Observed.source(databases.pool(dialect), (moment, connection) -> {
                    moments.add(moment);
                    if (isFree()) {
                        wrong.add(moment);
                    }
                }));
        String result = transactions.call(interlock.locks().with(key), (connection, lease) -> {
            insert(connection, lease.token().toString());
            return "done";
        });
        assertThat(result).isEqualTo("done");
        assertThat(wrong).as("moments at which the lock was free").isEmpty();
        assertThat(moments).containsSubsequence("borrowed", "after prepareStatement", "after commit", "after close");
        assertThat(isFree()).isTrue();
        assertThat(notes(dialect)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void whatTheWorkThrowsPassesThroughAfterARollback(Dialect dialect) throws Exception {
        LockedTransactions transactions = LockedTransactions.over(databases.pool(dialect));
        assertThatThrownBy(() -> transactions.run(interlock.locks().with(key), (connection, lease) -> {
                    insert(connection, "a");
                    throw new IOException("full");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("full");
        assertThat(notes(dialect)).isZero();
        assertThat(isFree()).isTrue();
        try (Connection connection = databases.pool(dialect).getConnection()) {
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void workOfALostLeaseIsNotCommitted(Dialect dialect) throws Exception {
        LockedTransactions transactions = LockedTransactions.over(databases.pool(dialect));
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
        assertThat(notes(dialect)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void holderThatWasOvertakenBeforeItsTransactionIsRefusedByTheFence(Dialect dialect) throws Exception {
        AtomicBoolean overtaken = new AtomicBoolean();
        LockedTransactions fenced =
                LockedTransactions.over(databases.pool(dialect)).fencedBy(FENCE);
        LockedTransactions paused = LockedTransactions.over(Observed.source(databases.pool(dialect), (moment, it) -> {
                    if (moment.equals("borrowed") && overtaken.compareAndSet(false, true)) {
                        interlock.operator().forceRelease(key);
                        fenced.run(other.locks().with(key), (connection, lease) -> insert(connection, "the next"));
                    }
                }))
                .fencedBy(FENCE);
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> paused.run(
                        interlock.locks().with(key),
                        (connection, lease) -> Rivals.execute(connection, "UPDATE note SET text = 'late'")));
        try (Connection connection = databases.pool(dialect).getConnection()) {
            assertThat(Rivals.number(
                            connection, "SELECT COUNT(*) FROM note WHERE id = ? AND text = 'the next'", key.name()))
                    .isEqualTo(1);
        }
    }

    /** The lock is gone but the fence is not: the next holder waits at the fence, and sees what was committed. */
    @ParameterizedTest
    @EnumSource
    void holderThatWasOvertakenDuringItsTransactionStillComesFirst(Dialect dialect) throws Exception {
        LockedTransactions fenced =
                LockedTransactions.over(databases.pool(dialect)).fencedBy(FENCE);
        List<CompletableFuture<Long>> next = new ArrayList<>();
        fenced.run(interlock.locks().with(key), (connection, lease) -> {
            interlock.operator().forceRelease(key);
            next.add(CompletableFuture.supplyAsync(() -> {
                try {
                    return fenced.call(
                            other.locks().with(key),
                            (mine, held) -> Rivals.number(mine, "SELECT COUNT(*) FROM note WHERE id = ?", key.name()));
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }));
            await().until(() -> !isFree());
            insert(connection, "first");
        });
        assertThat(next.get(0).get()).as("what the next holder sees").isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void severalKeysAreFencedEach(Dialect dialect) throws Exception {
        LockKey second = LockKey.of("note", UUID.randomUUID().toString());
        LockedTransactions fenced =
                LockedTransactions.over(databases.pool(dialect)).fencedBy(FENCE);
        Lease former = interlock.locks().acquire(second);
        former.close();
        fenced.run(interlock.locks().with(List.of(second, key)), (connection, leases) -> {
            assertThat(leases.keys()).hasSize(2);
            insert(connection, "a");
        });
        try (Rivals rivals = new Rivals(databases.pool(dialect))) {
            Connection connection = rivals.begin();
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.check(connection, former));
        }
    }

    @Test
    void sharedLeasesAreCheckedAtTheFence() throws Exception {
        LockedTransactions fenced =
                LockedTransactions.over(databases.pool(Dialect.POSTGRESQL)).fencedBy(FENCE);
        long seen = fenced.call(
                interlock.locks().with(key).shared(),
                (connection, lease) -> Rivals.number(connection, "SELECT COUNT(*) FROM note WHERE id = ?", key.name()));
        assertThat(seen).isZero();
    }

    @Test
    void busyLockTakesNoConnection() {
        List<String> moments = new ArrayList<>();
        LockedTransactions transactions = LockedTransactions.over(
                Observed.source(databases.pool(Dialect.H2), (moment, connection) -> moments.add(moment)));
        try (Lease held = other.locks().acquire(key)) {
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> transactions.run(
                            interlock.locks().with(key).waitAtMost(Duration.ofMillis(50)), (connection, lease) -> {}));
            assertThat(held.isHeld()).isTrue();
        }
        assertThat(moments).isEmpty();
    }

    @Test
    void commitThatIsNotAnsweredIsToldAsUnknownOnPostgres() throws Exception {
        try (LostCommits database = LostCommits.of(postgres)) {
            commitIsUnknown(database);
        }
    }

    @Test
    void commitThatIsNotAnsweredIsToldAsUnknownOnMySql() throws Exception {
        try (LostCommits database = LostCommits.of(mySql)) {
            commitIsUnknown(database);
        }
    }

    private void commitIsUnknown(LostCommits database) throws SQLException {
        Rivals.script(database.direct, "CREATE TABLE note (id VARCHAR(80) PRIMARY KEY, text VARCHAR(80))");
        LockedTransactions transactions = LockedTransactions.over(database.cut);
        transactions.run(interlock.locks().with(key), (connection, lease) -> {});
        database.begin();
        assertThatExceptionOfType(CommitUnknownException.class)
                .isThrownBy(() ->
                        transactions.run(interlock.locks().with(key), (connection, lease) -> insert(connection, "a")))
                .satisfies(unknown -> assertThat(unknown.getSQLState()).isEqualTo("08007"));
        assertThat(isFree()).isTrue();
        try (Connection connection = database.direct.getConnection()) {
            assertThat(Rivals.number(connection, "SELECT COUNT(*) FROM note"))
                    .as("what was done and not answered")
                    .isEqualTo(1);
        }
    }
}
