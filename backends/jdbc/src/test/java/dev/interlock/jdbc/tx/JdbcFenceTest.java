package dev.interlock.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.jdbc.Databases;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A stale holder's transaction is refused before it can commit. How two of them meet is {@link FenceIsolationTest}. */
class JdbcFenceTest {
    @RegisterExtension
    static final Databases databases = new Databases();

    private static final JdbcFence FENCE = JdbcFence.inTable();

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            FENCE.createSchemaIfMissing(databases.pool(dialect));
            Rivals.script(
                    databases.pool(dialect),
                    "CREATE TABLE stock (sku VARCHAR(64) PRIMARY KEY, left_over BIGINT NOT NULL)");
        }
    }

    private static Rivals rivals(Dialect dialect) throws SQLException {
        Rivals rivals = new Rivals(databases.pool(dialect));
        Connection connection = rivals.begin();
        Rivals.execute(connection, "INSERT INTO stock (sku, left_over) VALUES (?, 10)", rivals.key.name());
        connection.commit();
        return rivals;
    }

    private static long read(Connection connection, Rivals rivals) throws SQLException {
        return Rivals.number(connection, "SELECT left_over FROM stock WHERE sku = ?", rivals.key.name());
    }

    private static void write(Connection connection, Rivals rivals, long left) throws SQLException {
        Rivals.execute(connection, "UPDATE stock SET left_over = ? WHERE sku = ?", left, rivals.key.name());
    }

    @ParameterizedTest
    @EnumSource
    void lateWriteOfAPausedHolderIsRefused(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Connection paused = rivals.begin();
            Lease a = rivals.locks().acquire(rivals.key);
            FENCE.raise(paused, a);
            long seen = read(paused, rivals);
            paused.commit();
            assertThat(rivals.interlock.operator().forceRelease(rivals.key)).isEqualTo(1);
            a.close();
            Lease b = rivals.locks().acquire(rivals.key);
            Connection next = rivals.begin();
            FENCE.raise(next, b);
            write(next, rivals, read(next, rivals) - 1);
            FENCE.check(next, b);
            next.commit();
            write(paused, rivals, seen - 1);
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> FENCE.check(paused, a))
                    .satisfies(refused -> {
                        assertThat(refused.key()).isEqualTo(rivals.key);
                        assertThat(refused.refused()).isEqualTo(a.token());
                        assertThat(refused.newest()).isEqualTo(b.token());
                    });
            paused.rollback();
            assertThat(read(paused, rivals)).isEqualTo(9);
        }
    }

    /** P05: the new holder has read and not yet written; the late write would be lost under its own. */
    @ParameterizedTest
    @EnumSource
    void lateWriteIsRefusedBeforeTheFirstWriteOfTheNewHolder(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease a = rivals.former();
            Lease b = rivals.locks().acquire(rivals.key);
            Connection next = rivals.begin();
            FENCE.raise(next, b);
            next.commit();
            long seen = read(next, rivals);
            next.commit();
            Connection late = rivals.begin();
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.check(late, a));
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.raise(late, a));
            late.rollback();
            FENCE.check(next, b);
            write(next, rivals, seen - 1);
            next.commit();
            assertThat(read(next, rivals)).isEqualTo(9);
        }
    }

    @ParameterizedTest
    @EnumSource
    void leaseOfAnyBackendIsFenced(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect);
                Interlock inDatabase = Interlock.over(databases
                        .backend(dialect)
                        .namespace(UUID.randomUUID().toString())
                        .build())) {
            LockKey key = LockKey.of("other", UUID.randomUUID().toString());
            Lease former = inDatabase.locks().acquire(key);
            former.close();
            Connection connection = rivals.begin();
            try (Lease current = inDatabase.locks().acquire(key)) {
                FENCE.raise(connection, current);
                FENCE.check(connection, current);
            }
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.raise(connection, former));
        }
    }

    @ParameterizedTest
    @EnumSource
    void leaseOnAnotherLockIsRefusedBeforeAnythingIsSent(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            LockKey other = LockKey.of("other", UUID.randomUUID().toString());
            Connection connection = rivals.begin();
            try (Lease right = rivals.locks().acquire(rivals.key);
                    Lease wrong = rivals.locks().tryAcquire(other).orElseThrow()) {
                FENCE.raise(connection, right, rivals.key);
                FENCE.check(connection, right, rivals.key);
                for (ThrowingCallable refused : List.<ThrowingCallable>of(
                        () -> FENCE.raise(connection, wrong, rivals.key),
                        () -> FENCE.check(connection, wrong, rivals.key))) {
                    assertThatThrownBy(refused)
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContainingAll(rivals.key.name(), other.name());
                }
                connection.commit();
                FENCE.check(connection, right, rivals.key);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void equalTokenPassesForTheSameOwnerOnly(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease lease = rivals.locks().acquire(rivals.key);
            Connection connection = rivals.begin();
            FENCE.raise(connection, lease);
            FENCE.raise(connection, lease);
            FENCE.check(connection, lease);
            try (Lease joined = rivals.locks().with(rivals.key).reentrant().acquire()) {
                FENCE.raise(connection, joined);
            }
            Rivals.execute(
                    connection,
                    "UPDATE interlock_fence SET owner = 'somebody else' WHERE token = ?",
                    lease.token().value());
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.check(connection, lease));
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.raise(connection, lease));
        }
    }

    @ParameterizedTest
    @EnumSource
    void tokensThatDifferInTheLastOfSixtyBitsAreToldApart(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease lease = rivals.locks().acquire(rivals.key);
            long newer = lease.token().value() + 1;
            assertThat(newer).isGreaterThan(1L << 60);
            Connection connection = rivals.begin();
            FENCE.raise(connection, lease);
            Rivals.execute(
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
    void namesThatLookAlikeHaveFencesOfTheirOwn(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            String name = UUID.randomUUID().toString();
            List<Lease> former = new ArrayList<>();
            for (String end : List.of("x", "X", "x ", "é", "e\u0301", "ß", "ss", "'; --", "%", "x".repeat(400))) {
                former.add(rivals.former(LockKey.of(name + end)));
            }
            Connection connection = rivals.begin();
            // Later tokens first: a fence that two of them shared would refuse the earlier one.
            for (int i = former.size() - 1; i >= 0; i--) {
                FENCE.raise(connection, former.get(i));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void sharedLeasePassesUntilSomethingNewerIsRaisedAndNeverRaises(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease before = rivals.former();
            Lease shared = rivals.locks().with(rivals.key).shared().acquire();
            Connection connection = rivals.begin();
            FENCE.check(connection, shared);
            FENCE.raise(connection, before);
            FENCE.check(connection, shared);
            FENCE.check(connection, before);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> FENCE.raise(connection, shared))
                    .withMessageContaining("SHARED");
            shared.close();
            FENCE.raise(connection, rivals.locks().acquire(rivals.key));
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> FENCE.check(connection, shared));
        }
    }

    @ParameterizedTest
    @EnumSource
    void fencesOfAnotherTableAreApart(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            JdbcFence other = JdbcFence.inTable("other_fence");
            other.createSchemaIfMissing(databases.pool(dialect));
            Lease former = rivals.former();
            Connection connection = rivals.begin();
            FENCE.raise(connection, rivals.locks().acquire(rivals.key));
            other.raise(connection, former);
        }
    }

    @ParameterizedTest
    @EnumSource
    void ownerIsNotReadableFromTheFence(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease lease = rivals.locks().acquire(rivals.key);
            Connection connection = rivals.begin();
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
    void connectionsThatCommitByThemselvesAreRefused(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect);
                Connection connection = databases.pool(dialect).getConnection()) {
            Lease lease = rivals.locks().acquire(rivals.key);
            assertThatIllegalStateException()
                    .isThrownBy(() -> FENCE.raise(connection, lease))
                    .withMessageContaining("setAutoCommit(false)");
            assertThatIllegalStateException().isThrownBy(() -> FENCE.check(connection, lease));
        }
    }

    @Test
    void permitsAreRefused() throws Exception {
        try (Rivals rivals = rivals(Dialect.H2)) {
            Lease permit = rivals.locks().with(rivals.key).permits(1, 3).acquire();
            Connection connection = rivals.begin();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> FENCE.check(connection, permit))
                    .withMessageContaining("permits");
            assertThatIllegalArgumentException().isThrownBy(() -> FENCE.raise(connection, permit));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1st", "a b", "a;b", "a.b.c", ".a", "a.", "a\"b", "ä", "a--"})
    void tableNamesThatCouldBeSomethingElseAreRefused(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> JdbcFence.inTable(name));
        assertThatIllegalArgumentException().isThrownBy(() -> JdbcFence.inTable("x".repeat(64)));
        assertThat(JdbcFence.inTable("shop." + "x".repeat(63))).hasToString("JdbcFence(shop." + "x".repeat(63) + ")");
    }
}
