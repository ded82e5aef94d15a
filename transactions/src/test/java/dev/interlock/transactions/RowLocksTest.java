package dev.interlock.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.interlock.lock.LockTimeoutException;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows are locked in one order, and a locked row does not end the transaction. */
@Tag("server")
class RowLocksTest {
    @RegisterExtension
    static final EachDatabase databases = new EachDatabase();

    private static final RowLocks<Long> SEATS = RowLocks.in("seat", "id");
    private static final RowLocks<String> NAMES = RowLocks.in("named", "name");
    private static final RowLocks<UUID> DOCUMENTS = RowLocks.in("doc", "id");
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final UUID DOCUMENT = UUID.randomUUID();

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            TestTransactions.script(
                    databases.source(dialect),
                    "CREATE TABLE seat (id BIGINT PRIMARY KEY, taken INT DEFAULT 0 NOT NULL)",
                    "INSERT INTO seat (id) VALUES (1), (2), (3), (4), (5), (6), (7), (8)",
                    "CREATE TABLE named (name VARCHAR(40) PRIMARY KEY)",
                    "INSERT INTO named (name) VALUES ('a'), ('b'), ('it''s')",
                    "CREATE TABLE doc (id " + (dialect.isMySql() ? "CHAR(36)" : "UUID") + " PRIMARY KEY)",
                    "INSERT INTO doc (id) VALUES ('" + DOCUMENT + "')");
        }
    }

    @ParameterizedTest
    @EnumSource
    void existingRowsAreLockedInOneOrder(Dialect dialect) throws Exception {
        try (TestTransactions transactions = new TestTransactions(databases.source(dialect))) {
            Connection connection = transactions.begin();
            assertThat(SEATS.lock(connection, List.of(5L, 99L, 2L, 5L, -1L), LONG))
                    .containsExactly(2L, 5L);
            assertThat(NAMES.lock(connection, List.of("it's", "b", "none", "a"), LONG))
                    .containsExactly("a", "b", "it's");
            UUID unknown = UUID.randomUUID();
            assertThat(DOCUMENTS.lock(connection, List.of(unknown, DOCUMENT), LONG))
                    .containsExactly(DOCUMENT);
            assertThat(RowLocks.<Integer>in("seat", "id").lock(connection, List.of(4, 3), LONG))
                    .containsExactly(3, 4);
            assertThat(SEATS.tryLock(connection, List.of(77L))).contains(Set.of());
        }
    }

    @ParameterizedTest
    @EnumSource
    void transactionContinuesAfterItMeetsALockedRow(Dialect dialect) throws Exception {
        try (TestTransactions transactions = new TestTransactions(databases.source(dialect))) {
            Connection holder = transactions.begin();
            SEATS.lock(holder, List.of(2L, 3L), LONG);
            Connection other = transactions.begin();
            TestTransactions.execute(other, "UPDATE seat SET taken = 1 WHERE id = 8");
            assertThat(SEATS.tryLock(other, List.of(4L, 3L, 1L))).isEmpty();
            assertThat(SEATS.lockAvailable(other, List.of(1L, 2L, 3L, 4L, 99L))).containsExactly(1L, 4L);
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> SEATS.lock(other, List.of(2L), Duration.ofMillis(50)))
                    .withMessageContaining("seat");
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> SEATS.lock(other, List.of(2L), Duration.ZERO));
            assertThat(TestTransactions.number(other, "SELECT taken FROM seat WHERE id = 8"))
                    .as("earlier update of the transaction")
                    .isEqualTo(1);
            holder.commit();
            assertThat(SEATS.tryLock(other, List.of(2L, 3L))).isEqualTo(Optional.of(Set.of(2L, 3L)));
            other.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource
    void lockWaitsUntilTheOtherTransactionEnds(Dialect dialect) throws Exception {
        try (TestTransactions transactions = new TestTransactions(databases.source(dialect))) {
            Connection holder = transactions.begin();
            SEATS.lock(holder, List.of(6L), LONG);
            Connection other = transactions.begin();
            CompletableFuture<Void> locked = transactions.start(() -> SEATS.lock(other, List.of(7L, 6L, 5L), LONG));
            assertThat(locked).isNotDone();
            holder.commit();
            TestTransactions.finish(locked);
        }
    }

    /** Without a common order, transactions that lock the same rows in random orders would soon deadlock. */
    @ParameterizedTest
    @EnumSource
    void sameRowsInDifferentOrdersDoNotDeadlock(Dialect dialect) throws Exception {
        try (TestTransactions transactions = new TestTransactions(databases.source(dialect))) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Connection connection = transactions.begin();
                Random random = new Random(i);
                all.add(transactions.start(() -> {
                    for (int round = 0; round < 15; round++) {
                        List<Long> ids = new ArrayList<>(
                                LongStream.rangeClosed(1, 8).boxed().toList());
                        Collections.shuffle(ids, random);
                        assertThat(SEATS.lock(connection, ids, LONG)).hasSize(8);
                        connection.commit();
                    }
                }));
            }
            for (CompletableFuture<Void> each : all) {
                TestTransactions.finish(each);
            }
        }
    }

    /** The default collations of MySQL and MariaDB ignore case, so "A" and "a" are the same row. */
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void namesThatDifferInCaseOnlyHaveTheSameOrder(Dialect dialect) throws Exception {
        try (TestTransactions transactions = new TestTransactions(databases.source(dialect))) {
            Connection connection = transactions.begin();
            assertThat(NAMES.lock(connection, List.of("B", "a"), LONG)).containsExactly("a", "B");
            assertThat(NAMES.lock(connection, List.of("b", "A"), LONG)).containsExactly("A", "b");
        }
    }

    @ParameterizedTest
    @EnumSource
    void sessionSettingsAreRestored(Dialect dialect) throws Exception {
        try (TestTransactions transactions = new TestTransactions(databases.source(dialect))) {
            Connection holder = transactions.begin();
            SEATS.lock(holder, List.of(1L), LONG);
            Connection connection = transactions.begin();
            String before = setting(connection, dialect);
            SEATS.lock(connection, List.of(2L), Duration.ofMillis(1_234));
            assertThat(setting(connection, dialect)).isEqualTo(before);
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> SEATS.lock(connection, List.of(1L), Duration.ofMillis(20)));
            assertThat(setting(connection, dialect)).isEqualTo(before);
        }
    }

    private static String setting(Connection connection, Dialect dialect) throws SQLException {
        String sql = switch (dialect) {
            case POSTGRESQL -> "SHOW statement_timeout";
            case MARIADB, MYSQL -> "SELECT @@innodb_lock_wait_timeout";
            case H2 -> "SELECT LOCK_TIMEOUT()";
        };
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void invalidArgumentsAreRefusedBeforeAnyStatement(Dialect dialect) throws Exception {
        try (TestTransactions transactions = new TestTransactions(databases.source(dialect));
                Connection autoCommit = databases.source(dialect).getConnection()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> SEATS.lock(autoCommit, List.of(1L), LONG))
                    .withMessageContaining("setAutoCommit(false)");
            Connection connection = transactions.begin();
            connection.close();
            assertThatIllegalArgumentException().isThrownBy(() -> SEATS.tryLock(connection, List.of()));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> SEATS.lockAvailable(
                            connection, LongStream.rangeClosed(0, 1_000).boxed().toList()));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> SEATS.lock(connection, List.of(1L), Duration.ofSeconds(-1)));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RowLocks.<Double>in("seat", "id").tryLock(connection, List.of(1.0)));
            assertThatIllegalArgumentException().isThrownBy(() -> RowLocks.in("seat; --", "id"));
            assertThatIllegalArgumentException().isThrownBy(() -> RowLocks.in("seat", "i d"));
        }
    }
}
