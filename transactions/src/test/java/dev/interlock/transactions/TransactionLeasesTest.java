package dev.interlock.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A tied lease is released after its transaction. A lease that was released before the commit is logged once. */
@Tag("server")
class TransactionLeasesTest {
    @RegisterExtension
    static final EachDatabase databases = new EachDatabase();

    private final InMemoryBackend store = InMemoryBackend.create();
    private final Interlock interlock =
            Interlock.builder(store).keepBackendOpen().build();
    private final Interlock other = Interlock.builder(store).keepBackendOpen().build();
    private final TransactionLeases leases = TransactionLeases.over(interlock.locks());
    private final LockKey key = LockKey.of("item", UUID.randomUUID().toString());
    private final Logger logger = Logger.getLogger("dev.interlock.transactions");
    private final Warnings warnings = new Warnings();

    private static final class Warnings extends Handler {
        final List<String> texts = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord entry) {
            texts.add(entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private interface End {
        void of(Connection connection) throws SQLException;
    }

    private static final Map<String, End> ENDS = Map.of(
            "commit", Connection::commit,
            "rollback", Connection::rollback,
            "setAutoCommit", connection -> connection.setAutoCommit(true),
            "close", Connection::close);

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            TestTransactions.script(databases.source(dialect), "CREATE TABLE item (id INT)");
        }
        TestTransactions.script(
                databases.source(Dialect.POSTGRESQL),
                "CREATE TABLE deferred (id INT UNIQUE DEFERRABLE INITIALLY DEFERRED)",
                "INSERT INTO deferred (id) VALUES (1)");
    }

    @BeforeEach
    void listen() {
        logger.addHandler(warnings);
    }

    @AfterEach
    void close() {
        logger.removeHandler(warnings);
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

    private Connection begin(Dialect dialect) throws SQLException {
        DataSource watched = leases.watch(databases.source(dialect));
        Connection connection = watched.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    @ParameterizedTest
    @EnumSource
    void tiedLeaseIsReleasedByTheEndOfTheTransactionNotByClose(Dialect dialect) throws Exception {
        for (Map.Entry<String, End> end : ENDS.entrySet()) {
            try (Connection connection = begin(dialect)) {
                try (Lease lease = leases.acquire(connection, interlock.locks().with(key))) {
                    TestTransactions.execute(connection, "INSERT INTO item (id) VALUES (1)");
                    assertThat(lease.key()).isEqualTo(key);
                    assertThat(lease.isHeld()).isTrue();
                }
                assertThat(isFree()).as("free before %s", end.getKey()).isFalse();
                end.getValue().of(connection);
                assertThat(isFree()).as("free after %s", end.getKey()).isTrue();
            }
        }
        assertThat(warnings.texts).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void abortedConnectionReleasesTheLease(Dialect dialect) throws Exception {
        String url = databases.source(dialect).url();
        try (Connection connection = leases.watch(DriverManager.getConnection(url))) {
            connection.setAutoCommit(false);
            leases.acquire(connection, interlock.locks().with(key));
            assertThat(isFree()).isFalse();
            connection.abort(Runnable::run);
            assertThat(isFree()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void leaseSetCanBeTied(Dialect dialect) throws Exception {
        try (Connection connection = begin(dialect)) {
            LeaseSet set = leases.acquire(
                    connection, interlock.locks().with(List.of(key, LockKey.of("item", "of " + dialect))));
            assertThat(set.of(key).isHeld()).isTrue();
            set.close();
            assertThat(isFree()).isFalse();
            connection.rollback();
            assertThat(isFree()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rollbackToASavepointDoesNotReleaseTheLease(Dialect dialect) throws Exception {
        try (Connection connection = begin(dialect)) {
            leases.acquire(connection, interlock.locks().with(key));
            TestTransactions.execute(connection, "INSERT INTO item (id) VALUES (1)");
            Savepoint point = connection.setSavepoint();
            TestTransactions.execute(connection, "INSERT INTO item (id) VALUES (2)");
            connection.rollback(point);
            assertThat(isFree()).isFalse();
            connection.commit();
            assertThat(isFree()).isTrue();
        }
    }

    @Test
    void failedCommitReleasesTheLeaseOnlyAtTheRollback() throws Exception {
        try (Connection connection = begin(Dialect.POSTGRESQL)) {
            leases.acquire(connection, interlock.locks().with(key));
            TestTransactions.execute(connection, "INSERT INTO deferred (id) VALUES (1)");
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
            assertThat(isFree()).isFalse();
            connection.rollback();
            assertThat(isFree()).isTrue();
        }
    }

    @Test
    void tiedLeaseCannotBeReleasedByTheCaller() throws Exception {
        try (Connection connection = begin(Dialect.H2)) {
            Lease lease = leases.acquire(connection, interlock.locks().with(key));
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(lease::release)
                    .withMessageContaining(key.name());
            assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lease::releaseAsync);
        }
    }

    @Test
    void tiedLeaseCanBeFenced() throws Exception {
        JdbcFence.inTable().createSchemaIfMissing(databases.source(Dialect.MARIADB));
        try (Connection connection = begin(Dialect.MARIADB)) {
            Lease lease = leases.acquire(connection, interlock.locks().with(key));
            JdbcFence.inTable().raise(connection, lease);
            connection.commit();
        }
    }

    @Test
    void unwatchedConnectionIsRefused() throws Exception {
        try (Connection connection = databases.source(Dialect.H2).getConnection()) {
            connection.setAutoCommit(false);
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> leases.acquire(connection, interlock.locks().with(key)))
                    .withMessageContaining("watch");
            Connection watched = leases.watch(connection);
            watched.setAutoCommit(true);
            assertThatIllegalStateException()
                    .isThrownBy(() -> leases.acquire(watched, interlock.locks().with(key)));
            assertThat(isFree()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void lockReleasedBeforeTheCommitIsLoggedOncePerCallSite(Dialect dialect) throws Exception {
        try (Connection connection = begin(dialect)) {
            for (int i = 0; i < 3; i++) {
                interlock
                        .locks()
                        .run(key, lease -> TestTransactions.execute(connection, "INSERT INTO item (id) VALUES (1)"));
                connection.commit();
            }
            assertThat(warnings.texts)
                    .singleElement()
                    .asString()
                    .contains(key.name())
                    .contains("TestTransactions.execute")
                    .contains("before its transaction commits");
        }
    }

    @Test
    void lockReleasedWithoutACommitOrAfterItIsNotLogged() throws Exception {
        try (Connection connection = begin(Dialect.H2)) {
            interlock
                    .locks()
                    .run(key, lease -> TestTransactions.execute(connection, "INSERT INTO item (id) VALUES (1)"));
            connection.rollback();
            connection.commit();
            interlock.locks().run(key, lease -> {
                TestTransactions.execute(connection, "INSERT INTO item (id) VALUES (1)");
                connection.commit();
            });
            connection.setAutoCommit(true);
            interlock
                    .locks()
                    .run(key, lease -> TestTransactions.execute(connection, "INSERT INTO item (id) VALUES (1)"));
            connection.setAutoCommit(false);
            connection.commit();
        }
        LockedTransactions.over(leases.watch(databases.source(Dialect.H2)))
                .run(
                        interlock.locks().with(key),
                        (connection, lease) ->
                                TestTransactions.execute(connection, "INSERT INTO item (id) VALUES (1)"));
        assertThat(warnings.texts).isEmpty();
    }
}
