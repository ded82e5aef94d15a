package dev.interlock.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fence refuses the transaction of a stale holder. {@link FenceIsolationTest} tests concurrent transactions. */
@Tag("server")
class JdbcFenceTest {
    @RegisterExtension
    static final EachDatabase databases = new EachDatabase();

    private static final JdbcFence FENCE = JdbcFence.inTable();

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            FENCE.createSchemaIfMissing(databases.source(dialect));
            TestTransactions.script(
                    databases.source(dialect),
                    "CREATE TABLE stock (sku VARCHAR(64) PRIMARY KEY, left_over BIGINT NOT NULL)");
        }
    }

    private static TestTransactions open(Dialect dialect) throws SQLException {
        TestTransactions transactions = new TestTransactions(databases.source(dialect));
        Connection connection = transactions.begin();
        TestTransactions.execute(
                connection, "INSERT INTO stock (sku, left_over) VALUES (?, 10)", transactions.key.name());
        connection.commit();
        return transactions;
    }

    private static long read(Connection connection, TestTransactions transactions) throws SQLException {
        return TestTransactions.number(
                connection, "SELECT left_over FROM stock WHERE sku = ?", transactions.key.name());
    }

    private static void write(Connection connection, TestTransactions transactions, long left) throws SQLException {
        TestTransactions.execute(
                connection, "UPDATE stock SET left_over = ? WHERE sku = ?", left, transactions.key.name());
    }

    @ParameterizedTest
    @EnumSource
    void staleWriteOfAPausedHolderIsRefused(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Connection paused = transactions.begin();
            Lease a = transactions.locks().acquire(transactions.key);
            FENCE.raise(paused, a);
            long seen = read(paused, transactions);
            paused.commit();
            assertThat(transactions.interlock.operator().forceRelease(transactions.key))
                    .isEqualTo(1);
            a.close();
            Lease b = transactions.locks().acquire(transactions.key);
            Connection next = transactions.begin();
            FENCE.raise(next, b);
            write(next, transactions, read(next, transactions) - 1);
            FENCE.check(next, b);
            next.commit();
            write(paused, transactions, seen - 1);
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> FENCE.check(paused, a))
                    .satisfies(refused -> {
                        assertThat(refused.key()).isEqualTo(transactions.key);
                        assertThat(refused.refused()).isEqualTo(a.token());
                        assertThat(refused.newest()).isEqualTo(b.token());
                    });
            paused.rollback();
            assertThat(read(paused, transactions)).isEqualTo(9);
        }
    }

    /** The new holder has read and not yet written, so its write would overwrite the stale one. */
    @ParameterizedTest
    @EnumSource
    void staleWriteIsRefusedBeforeTheFirstWriteOfTheNewHolder(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease a = transactions.former();
            Lease b = transactions.locks().acquire(transactions.key);
            Connection next = transactions.begin();
            FENCE.raise(next, b);
            next.commit();
            long seen = read(next, transactions);
            next.commit();
            Connection late = transactions.begin();
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.check(late, a));
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.raise(late, a));
            late.rollback();
            FENCE.check(next, b);
            write(next, transactions, seen - 1);
            next.commit();
            assertThat(read(next, transactions)).isEqualTo(9);
        }
    }

    @ParameterizedTest
    @EnumSource
    void leaseOnAnotherLockIsRefusedBeforeAnyStatement(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            LockKey other = LockKey.of("other", UUID.randomUUID().toString());
            Connection connection = transactions.begin();
            try (Lease right = transactions.locks().acquire(transactions.key);
                    Lease wrong = transactions.locks().tryAcquire(other).orElseThrow()) {
                FENCE.raise(connection, right, transactions.key);
                FENCE.check(connection, right, transactions.key);
                for (ThrowingCallable refused : List.<ThrowingCallable>of(
                        () -> FENCE.raise(connection, wrong, transactions.key),
                        () -> FENCE.check(connection, wrong, transactions.key))) {
                    assertThatThrownBy(refused)
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContainingAll(transactions.key.name(), other.name());
                }
                connection.commit();
                FENCE.check(connection, right, transactions.key);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void equalTokenPassesForTheSameOwnerOnly(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease lease = transactions.locks().acquire(transactions.key);
            Connection connection = transactions.begin();
            FENCE.raise(connection, lease);
            FENCE.raise(connection, lease);
            FENCE.check(connection, lease);
            try (Lease joined =
                    transactions.locks().with(transactions.key).reentrant().acquire()) {
                FENCE.raise(connection, joined);
            }
            TestTransactions.execute(
                    connection,
                    "UPDATE interlock_fence SET owner = 'another owner' WHERE token = ?",
                    lease.token().value());
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.check(connection, lease));
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.raise(connection, lease));
        }
    }

    @ParameterizedTest
    @EnumSource
    void tokensThatDifferInTheLastOfSixtyBitsAreDifferent(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease lease = transactions.locks().acquire(transactions.key);
            long newer = lease.token().value() + 1;
            assertThat(newer).isGreaterThan(1L << 60);
            Connection connection = transactions.begin();
            FENCE.raise(connection, lease);
            TestTransactions.execute(
                    connection,
                    "UPDATE interlock_fence SET token = ? WHERE token = ?",
                    newer,
                    lease.token().value());
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> FENCE.raise(connection, lease))
                    .satisfies(refused -> assertThat(refused.newest()).isEqualTo(new FencingToken(newer)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void similarNamesHaveSeparateFences(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            String name = UUID.randomUUID().toString();
            List<Lease> former = new ArrayList<>();
            for (String end : List.of("x", "X", "x ", "é", "e\u0301", "ß", "ss", "'; --", "%", "x".repeat(400))) {
                former.add(transactions.former(LockKey.of(name + end)));
            }
            Connection connection = transactions.begin();
            // Newest token first: a fence shared by two names would refuse the older token.
            for (int i = former.size() - 1; i >= 0; i--) {
                FENCE.raise(connection, former.get(i));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void sharedLeasePassesUntilANewerTokenIsRaisedAndCannotRaise(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease before = transactions.former();
            Lease shared = transactions.locks().with(transactions.key).shared().acquire();
            Connection connection = transactions.begin();
            FENCE.check(connection, shared);
            FENCE.raise(connection, before);
            FENCE.check(connection, shared);
            FENCE.check(connection, before);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> FENCE.raise(connection, shared))
                    .withMessageContaining("SHARED");
            shared.close();
            FENCE.raise(connection, transactions.locks().acquire(transactions.key));
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.check(connection, shared));
        }
    }

    @ParameterizedTest
    @EnumSource
    void fencesOfDifferentTablesAreIndependent(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            JdbcFence other = JdbcFence.inTable("other_fence");
            other.createSchemaIfMissing(databases.source(dialect));
            Lease former = transactions.former();
            Connection connection = transactions.begin();
            FENCE.raise(connection, transactions.locks().acquire(transactions.key));
            other.raise(connection, former);
        }
    }

    @ParameterizedTest
    @EnumSource
    void fenceDoesNotRevealTheOwner(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease lease = transactions.locks().acquire(transactions.key);
            Connection connection = transactions.begin();
            FENCE.raise(connection, lease);
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT owner FROM interlock_fence WHERE token = ?")) {
                statement.setLong(1, lease.token().value());
                try (ResultSet row = statement.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString(1))
                            .hasSize(64)
                            .doesNotContain(lease.owner().incarnation());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void autoCommitConnectionIsRefused(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect);
                Connection connection = databases.source(dialect).getConnection()) {
            Lease lease = transactions.locks().acquire(transactions.key);
            assertThatIllegalStateException()
                    .isThrownBy(() -> FENCE.raise(connection, lease))
                    .withMessageContaining("setAutoCommit(false)");
            assertThatIllegalStateException().isThrownBy(() -> FENCE.check(connection, lease));
        }
    }

    @Test
    void permitsAreRefused() throws Exception {
        try (TestTransactions transactions = open(Dialect.H2)) {
            Lease permit =
                    transactions.locks().with(transactions.key).permits(1, 3).acquire();
            Connection connection = transactions.begin();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> FENCE.check(connection, permit))
                    .withMessageContaining("permits");
            assertThatIllegalArgumentException().isThrownBy(() -> FENCE.raise(connection, permit));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1st", "a b", "a;b", "a.b.c", ".a", "a.", "a\"b", "ä", "a--"})
    void invalidTableNamesAreRefused(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> JdbcFence.inTable(name));
        assertThatIllegalArgumentException().isThrownBy(() -> JdbcFence.inTable("x".repeat(64)));
        assertThat(JdbcFence.inTable("shop." + "x".repeat(63))).hasToString("JdbcFence(shop." + "x".repeat(63) + ")");
    }
}
