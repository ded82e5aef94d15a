package dev.interlock.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A row with a token column rejects stale writes. */
@Tag("server")
class FencedRowsTest {
    @RegisterExtension
    static final EachDatabase databases = new EachDatabase();

    private static final FencedRows<Long> STOCK =
            FencedRows.in("warehouse").id("id").fence("fence_token").lockedBy(id -> LockKey.of("stock", "" + id));
    private static final AtomicLong IDS = new AtomicLong();

    private final long id = IDS.incrementAndGet();
    private final LockKey key = LockKey.of("stock", "" + id);

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            TestTransactions.script(
                    databases.source(dialect),
                    "CREATE TABLE warehouse (id BIGINT PRIMARY KEY, available BIGINT NOT NULL, remark VARCHAR(80),"
                            + " fence_token BIGINT)",
                    "CREATE TABLE document (id "
                            + (dialect.isMySql() ? "CHAR(36)" : "UUID")
                            + " PRIMARY KEY, title VARCHAR(80), fence BIGINT DEFAULT 0 NOT NULL)");
        }
    }

    private TestTransactions open(Dialect dialect) throws SQLException {
        TestTransactions transactions = new TestTransactions(databases.source(dialect));
        Connection connection = transactions.begin();
        TestTransactions.execute(connection, "INSERT INTO warehouse (id, available) VALUES (?, 10)", id);
        connection.commit();
        return transactions;
    }

    private long read(Connection connection) throws SQLException {
        return TestTransactions.number(connection, "SELECT available FROM warehouse WHERE id = ?", id);
    }

    static Stream<Arguments> combinations() {
        return Stream.of(Dialect.values())
                .flatMap(dialect -> Stream.of(
                                Connection.TRANSACTION_READ_COMMITTED,
                                Connection.TRANSACTION_REPEATABLE_READ,
                                Connection.TRANSACTION_SERIALIZABLE)
                        .map(level -> Arguments.of(dialect, level)));
    }

    @ParameterizedTest
    @EnumSource
    void staleWriteIsRefusedAndDoesNotChangeTheRow(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease a = transactions.former(key);
            Lease b = transactions.locks().acquire(key);
            Connection connection = transactions.begin();
            STOCK.raise(connection, a, id);
            STOCK.raise(connection, b, id);
            connection.commit();
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> STOCK.update(connection, a, id, Map.of("available", 0)))
                    .satisfies(refused -> {
                        assertThat(refused.refused()).isEqualTo(a.token());
                        assertThat(refused.newest()).isEqualTo(b.token());
                    });
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> STOCK.check(connection, a, id));
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> STOCK.raise(connection, a, id));
            STOCK.update(connection, b, id, Map.of("available", read(connection) - 1, "remark", "sold"));
            STOCK.check(connection, b, id);
            connection.commit();
            assertThat(read(connection)).isEqualTo(9);
        }
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void newerTokenWaitsForACheckedTransactionAndThenReadsItsWrite(Dialect dialect, int level) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease a = transactions.former(key);
            Lease b = transactions.locks().acquire(key);
            Connection one = transactions.begin(level);
            STOCK.raise(one, a, id);
            one.commit();
            Connection two = transactions.begin(level);
            if (level != Connection.TRANSACTION_SERIALIZABLE) {
                read(two); // takes the snapshot; SERIALIZABLE on MySQL would lock the row instead
            }
            STOCK.check(one, a, id);
            TestTransactions.execute(one, "UPDATE warehouse SET available = 7 WHERE id = ?", id);
            CompletableFuture<Void> raised = transactions.start(() -> STOCK.raise(two, b, id));
            assertThat(raised).isNotDone();
            one.commit();
            TestTransactions.repeat(two, raised, () -> STOCK.raise(two, b, id));
            assertThat(read(two)).isEqualTo(7);
            two.commit();
        }
    }

    @ParameterizedTest
    @EnumSource
    void leaseOnAnotherLockIsRefusedBeforeAnyStatement(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease other = transactions.locks().acquire(LockKey.of("stock", "another"));
            Connection connection = transactions.begin();
            connection.close();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> STOCK.raise(connection, other, id))
                    .withMessageContaining("stock:another")
                    .withMessageContaining(key.name());
            assertThatIllegalArgumentException().isThrownBy(() -> STOCK.check(connection, other, id));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> STOCK.update(connection, other, id, Map.of("available", 1)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void missingRowIsReported(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease lease = transactions.locks().acquire(LockKey.of("stock", "-1"));
            Connection connection = transactions.begin();
            assertThatExceptionOfType(LockRefusedException.class)
                    .isThrownBy(() -> STOCK.raise(connection, lease, -1L))
                    .withMessageContaining("stock:-1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void sharedLeaseBlocksRaisesAndCannotWrite(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            Lease reader = transactions.locks().with(key).shared().acquire();
            reader.close();
            Lease b = transactions.locks().acquire(key);
            Connection one = transactions.begin();
            Connection two = transactions.begin();
            STOCK.check(one, reader, id);
            CompletableFuture<Void> raised = transactions.start(() -> STOCK.raise(two, b, id));
            assertThat(raised).isNotDone();
            one.commit();
            TestTransactions.finish(raised);
            two.commit();
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> STOCK.check(one, reader, id));
            assertThatIllegalArgumentException().isThrownBy(() -> STOCK.raise(one, reader, id));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> STOCK.update(one, reader, id, Map.of("available", 1)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void idsCanBeUuids(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect)) {
            FencedRows<UUID> documents = FencedRows.in("document").lockedBy(it -> LockKey.of("doc", it.toString()));
            UUID document = UUID.randomUUID();
            Lease lease = transactions.locks().acquire(LockKey.of("doc", document.toString()));
            Connection connection = transactions.begin();
            TestTransactions.execute(
                    connection,
                    "INSERT INTO document (id) VALUES (?)",
                    dialect.isMySql() ? document.toString() : document);
            documents.update(connection, lease, document, Map.of("title", "a"));
            documents.update(connection, lease, document, Map.of("title", "b"));
            assertThat(TestTransactions.number(connection, "SELECT COUNT(*) FROM document WHERE title = 'b'"))
                    .isEqualTo(1);
        }
    }

    /** A driver that counts changed rows instead of matched rows returns 0 for an equal token. */
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void driversThatCountChangedRowsAreSupported(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect);
                Connection connection =
                        DriverManager.getConnection(databases.source(dialect).url() + "&useAffectedRows=true")) {
            connection.setAutoCommit(false);
            JdbcFence.inTable().createSchemaIfMissing(databases.source(dialect));
            Lease lease = transactions.locks().acquire(key);
            for (int i = 0; i < 3; i++) {
                STOCK.raise(connection, lease, id);
                STOCK.update(connection, lease, id, Map.of("available", 3));
                JdbcFence.inTable().raise(connection, lease);
                JdbcFence.inTable().check(connection, lease);
            }
            assertThat(read(connection)).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void autoCommitConnectionIsRefused(Dialect dialect) throws Exception {
        try (TestTransactions transactions = open(dialect);
                Connection connection = databases.source(dialect).getConnection()) {
            Lease lease = transactions.locks().acquire(key);
            assertThatIllegalStateException().isThrownBy(() -> STOCK.raise(connection, lease, id));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a = 1, b", "fence_token", "FENCE_TOKEN", "id"})
    void invalidAndReservedColumnsAreRefused(String column) throws Exception {
        try (TestTransactions transactions = open(Dialect.H2)) {
            Lease lease = transactions.locks().acquire(key);
            Connection connection = transactions.begin();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> STOCK.update(connection, lease, id, Map.of(column, 1)));
            assertThatIllegalArgumentException().isThrownBy(() -> STOCK.update(connection, lease, id, Map.of()));
        }
    }

    @Test
    void invalidTableAndColumnNamesAreRefused() {
        assertThatThrownBy(() -> FencedRows.in("a b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FencedRows.in("a").id("b.c")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FencedRows.in("a").fence("1")).isInstanceOf(IllegalArgumentException.class);
    }
}
