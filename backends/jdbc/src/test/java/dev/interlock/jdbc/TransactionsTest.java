package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.jdbc.session.AdvisoryLockBackend;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.transactions.AdvisoryLocks;
import dev.interlock.transactions.JdbcFence;
import dev.interlock.transactions.LockedTransactions;
import dev.interlock.transactions.OptimisticRetry;
import dev.interlock.transactions.TransactionLeases;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** interlock-transactions with locks of this module's backends, and with a connection pool. */
@Tag("server")
class TransactionsTest {
    @RegisterExtension
    static final Databases databases = new Databases();

    private static final JdbcFence FENCE = JdbcFence.inTable();

    private final LockKey key = LockKey.of("stock", UUID.randomUUID().toString());

    private static Interlock open(Dialect dialect) {
        return Interlock.over(databases
                .backend(dialect)
                .namespace(UUID.randomUUID().toString())
                .build());
    }

    private static Connection begin(Dialect dialect) throws SQLException {
        Connection connection = databases.pool(dialect).getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    @ParameterizedTest
    @EnumSource
    void fenceRefusesTheTokenOfAFormerHolder(Dialect dialect) throws Exception {
        FENCE.createSchemaIfMissing(databases.pool(dialect));
        try (Interlock interlock = open(dialect);
                Connection connection = begin(dialect)) {
            Lease former = interlock.locks().acquire(key);
            former.close();
            try (Lease current = interlock.locks().acquire(key)) {
                FENCE.raise(connection, current);
                FENCE.check(connection, current);
            }
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.raise(connection, former));
            connection.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource
    void leaseTiedToAPooledConnectionEndsWithTheTransaction(Dialect dialect) throws Exception {
        try (Interlock interlock = open(dialect)) {
            TransactionLeases leases = TransactionLeases.over(interlock.locks());
            try (Connection connection = leases.watch(databases.pool(dialect)).getConnection()) {
                connection.setAutoCommit(false);
                Lease lease = leases.acquire(connection, interlock.locks().with(key));
                lease.close();
                assertThat(lease.isHeld()).as("held before the commit").isTrue();
                connection.commit();
                assertThat(lease.isHeld()).as("held after the commit").isFalse();
            }
            try (Connection connection = leases.watch(databases.pool(dialect)).getConnection()) {
                connection.setAutoCommit(false);
                Lease lease = leases.acquire(connection, interlock.locks().with(key));
                connection.close();
                assertThat(lease.isHeld()).as("held after close").isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneConnectionOfThePoolIsEnoughForEveryTransaction(Dialect dialect) throws Exception {
        FENCE.createSchemaIfMissing(databases.pool(dialect));
        try (Interlock interlock = open(dialect);
                HikariDataSource one = Pools.of(databases.pool(dialect).getJdbcUrl(), 1)) {
            LockedTransactions transactions = LockedTransactions.over(one).fencedBy(FENCE);
            OptimisticRetry retry = OptimisticRetry.over(one);
            for (int i = 0; i < 3; i++) {
                transactions.run(interlock.locks().with(key), (connection, lease) -> select(connection));
                retry.run(TransactionsTest::select);
            }
            try (Connection connection = one.getConnection()) {
                assertThat(connection.getAutoCommit()).isTrue();
            }
        }
    }

    private static void select(Connection connection) throws SQLException {
        assertThat(connection.getAutoCommit()).isFalse();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        }
    }

    @Test
    void sessionAndTransactionLocksExcludeEachOther() throws Exception {
        String url = databases.pool(Dialect.POSTGRESQL).getJdbcUrl();
        AdvisoryLockBackend.builder(url).createSchemaIfMissing().build().close();
        AdvisoryLocks both = AdvisoryLocks.inNamespace("both");
        try (Interlock interlock = Interlock.over(
                        AdvisoryLockBackend.builder(url).namespace("both").build());
                Connection one = begin(Dialect.POSTGRESQL);
                Connection other = begin(Dialect.POSTGRESQL)) {
            try (Lease lease = interlock.locks().acquire(key)) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(both.tryLock(one, List.of(key))).isFalse();
                assertThat(AdvisoryLocks.create().tryLock(one, List.of(key)))
                        .as("another namespace")
                        .isTrue();
            }
            both.lock(other, List.of(key), Duration.ofSeconds(20));
            assertThat(interlock.locks().tryAcquire(key)).isEmpty();
            other.commit();
            assertThat(interlock.locks().tryAcquire(key)).isPresent();
            one.rollback();
        }
    }
}
