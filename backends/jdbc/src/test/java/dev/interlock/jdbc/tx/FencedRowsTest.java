package dev.interlock.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.jdbc.Databases;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StaleTokenException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A row that carries its own token refuses the write of a stale holder. */
class FencedRowsTest {
    @RegisterExtension
    static final Databases databases = new Databases();

    private static final FencedRows<Long> STOCK =
            FencedRows.in("warehouse").id("id").fence("fence_token").lockedBy(id -> LockKey.of("stock", "" + id));
    private static final AtomicLong IDS = new AtomicLong();

    private final long id = IDS.incrementAndGet();
    private final LockKey key = LockKey.of("stock", "" + id);

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            Rivals.script(
                    databases.pool(dialect),
                    "CREATE TABLE warehouse (id BIGINT PRIMARY KEY, available BIGINT NOT NULL, note VARCHAR(80), fence_token BIGINT)",
                    "CREATE TABLE document (id "
                            + (dialect.isMySql() ? "CHAR(36)" : "UUID")
                            + " PRIMARY KEY, title VARCHAR(80), fence BIGINT DEFAULT 0 NOT NULL)");
        }
    }

    private Rivals rivals(Dialect dialect) throws SQLException {
        Rivals rivals = new Rivals(databases.pool(dialect));
        Connection connection = rivals.begin();
        Rivals.execute(connection, "INSERT INTO warehouse (id, available) VALUES (?, 10)", id);
        connection.commit();
        return rivals;
    }

    private long read(Connection connection) throws SQLException {
        return Rivals.number(connection, "SELECT available FROM warehouse WHERE id = ?", id);
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(Dialect.values())
                .flatMap(dialect -> Stream.of(
                                Connection.TRANSACTION_READ_COMMITTED,
                                Connection.TRANSACTION_REPEATABLE_READ,
                                Connection.TRANSACTION_SERIALIZABLE)
                        .map(level -> Arguments.of(dialect, level)));
    }

    @ParameterizedTest
    @EnumSource
    void lateWriteIsRefusedAndNothingIsWritten(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease a = rivals.former(key);
            Lease b = rivals.locks().acquire(key);
            Connection connection = rivals.begin();
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
            STOCK.update(connection, b, id, Map.of("available", read(connection) - 1, "note", "sold"));
            STOCK.check(connection, b, id);
            connection.commit();
            assertThat(read(connection)).isEqualTo(9);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void checkKeepsNewerTokensOutAndTheNewHolderSeesTheRowAsItIs(Dialect dialect, int level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease a = rivals.former(key);
            Lease b = rivals.locks().acquire(key);
            Connection one = rivals.begin(level);
            STOCK.raise(one, a, id);
            one.commit();
            Connection two = rivals.begin(level);
            if (level != Connection.TRANSACTION_SERIALIZABLE) {
                read(two); // a snapshot from before; serializable on MySQL would lock the row instead
            }
            STOCK.check(one, a, id);
            Rivals.execute(one, "UPDATE warehouse SET available = 7 WHERE id = ?", id);
            CompletableFuture<Void> raised = rivals.start(() -> STOCK.raise(two, b, id));
            assertThat(raised).isNotDone();
            one.commit();
            Rivals.repeat(two, raised, () -> STOCK.raise(two, b, id));
            assertThat(read(two)).isEqualTo(7);
            two.commit();
        }
    }

    @ParameterizedTest
    @EnumSource
    void leaseOfAnotherLockIsRefusedBeforeAnythingIsSent(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease other = rivals.locks().acquire(LockKey.of("stock", "another"));
            Connection connection = rivals.begin();
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
    void rowThatIsNotThereIsTold(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease lease = rivals.locks().acquire(LockKey.of("stock", "-1"));
            Connection connection = rivals.begin();
            assertThatExceptionOfType(LockRefusedException.class)
                    .isThrownBy(() -> STOCK.raise(connection, lease, -1L))
                    .withMessageContaining("stock:-1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void sharedLeaseKeepsRaisesOutAndNeverWrites(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease reader = rivals.locks().with(key).shared().acquire();
            reader.close();
            Lease b = rivals.locks().acquire(key);
            Connection one = rivals.begin();
            Connection two = rivals.begin();
            STOCK.check(one, reader, id);
            CompletableFuture<Void> raised = rivals.start(() -> STOCK.raise(two, b, id));
            assertThat(raised).isNotDone();
            one.commit();
            Rivals.finish(raised);
            two.commit();
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> STOCK.check(one, reader, id));
            assertThatIllegalArgumentException().isThrownBy(() -> STOCK.raise(one, reader, id));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> STOCK.update(one, reader, id, Map.of("available", 1)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void idsMayBeUuids(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            FencedRows<UUID> documents = FencedRows.in("document").lockedBy(it -> LockKey.of("doc", it.toString()));
            UUID document = UUID.randomUUID();
            Lease lease = rivals.locks().acquire(LockKey.of("doc", document.toString()));
            Connection connection = rivals.begin();
            Rivals.execute(
                    connection,
                    "INSERT INTO document (id) VALUES (?)",
                    dialect.isMySql() ? document.toString() : document);
            documents.update(connection, lease, document, Map.of("title", "a"));
            documents.update(connection, lease, document, Map.of("title", "b"));
            assertThat(Rivals.number(connection, "SELECT COUNT(*) FROM document WHERE title = 'b'"))
                    .isEqualTo(1);
        }
    }

    /** Drivers that count changed rows instead of found ones say 0 for an equal token. */
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void driversThatCountChangedRowsMakeNoDifference(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect);
                Connection connection =
                        DriverManager.getConnection(databases.pool(dialect).getJdbcUrl() + "&useAffectedRows=true")) {
            connection.setAutoCommit(false);
            JdbcFence.inTable().createSchemaIfMissing(databases.pool(dialect));
            Lease lease = rivals.locks().acquire(key);
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
    void connectionsThatCommitByThemselvesAreRefused(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect);
                Connection connection = databases.pool(dialect).getConnection()) {
            Lease lease = rivals.locks().acquire(key);
            assertThatIllegalStateException().isThrownBy(() -> STOCK.raise(connection, lease, id));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a = 1, b", "fence_token", "FENCE_TOKEN", "id"})
    void columnsThatCannotBeWrittenAreRefused(String column) throws Exception {
        try (Rivals rivals = rivals(Dialect.H2)) {
            Lease lease = rivals.locks().acquire(key);
            Connection connection = rivals.begin();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> STOCK.update(connection, lease, id, Map.of(column, 1)));
            assertThatIllegalArgumentException().isThrownBy(() -> STOCK.update(connection, lease, id, Map.of()));
        }
    }

    @Test
    void namesOfTablesAndColumnsAreChecked() {
        assertThatThrownBy(() -> FencedRows.in("a b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FencedRows.in("a").id("b.c")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FencedRows.in("a").fence("1")).isInstanceOf(IllegalArgumentException.class);
    }
}
