package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.spi.StoreContext;
import dev.interlock.testkit.servers.PostgresServer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Steps over locked rows that take their time: who waits is heard of meanwhile. */
@Timeout(60)
class RowStepsTest {
    private static final LockKey KEY = LockKey.of("key");
    private static final String NOW = Dialect.POSTGRESQL.now();
    private static final long HEARD_WITHIN = 1_000_000;

    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    private final String namespace = UUID.randomUUID().toString();
    private HikariDataSource pool;
    private RowSteps steps;

    @BeforeEach
    void open() {
        pool = Pools.of(database.url(), 4);
        StartUp startUp = new StartUp(pool, namespace, Duration.ofSeconds(5), 0);
        steps = new RowSteps(startUp.database(), startUp.table(), unused(), null);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    /** It is told of the grant, and counts its right from the answer to its heartbeat. */
    @Test
    void rightOfAWaiterThatIsHeardOfDuringTheStepIsAsLongAsItThinks() {
        hold(1);
        queue("waiter/1", "E");
        releaseWhile("UPDATE interlock_waiter SET heard_at = " + NOW + " + 500000" + here());
        long heard = database.number("SELECT " + NOW) + 400_000;
        assertThat(database.number("SELECT lease_end FROM interlock_lock" + here() + " AND owner = 'waiter/1'"))
                .isGreaterThan(heard + HEARD_WITHIN);
    }

    @Test
    void rightOfAReaderThatIsHeardOfDuringTheStepIsAsLongAsItThinks() {
        hold(1);
        queue("reader/1", "S");
        releaseWhile("UPDATE interlock_waiter SET heard_at = " + NOW + " + 500000" + here());
        long heard = database.number("SELECT " + NOW) + 400_000;
        assertThat(database.number("SELECT record_end FROM interlock_holder" + here() + " AND owner = 'reader/1'"))
                .isGreaterThan(heard + HEARD_WITHIN);
    }

    /** It cannot be heard of while the step has the lock's row, so that counts for nothing. */
    @Test
    void heirDoesNotDieOfAStepThatHasItsRow() throws Exception {
        hold(2);
        database.execute(
                "INSERT INTO interlock_lock (namespace, name, number) VALUES ('" + namespace + "', 'other', 1)");
        try (Connection sitter = pool.getConnection();
                Statement statement = sitter.createStatement()) {
            sitter.setAutoCommit(false);
            statement.execute("SELECT 1 FROM interlock_lock" + here() + " AND name = 'other' FOR UPDATE");
            database.execute("UPDATE interlock_lock SET heir = ARRAY['heir/1', '', ''], heir_times = ARRAY["
                    + HEARD_WITHIN + ", " + NOW + ", 0]" + here()
                    + " AND name = 'key'");
            CompletableFuture.delayedExecutor(HEARD_WITHIN + 200_000, TimeUnit.MICROSECONDS)
                    .execute(() -> rollBack(sitter));
            steps.on(Set.of(KEY, LockKey.of("other")), Set.of(), rows -> {
                assertThat(database.number("SELECT " + NOW + " - heir_times[2] FROM interlock_lock" + here()
                                + " AND name = 'key'"))
                        .as("how long the heir has been silent")
                        .isGreaterThan(HEARD_WITHIN);
                LockRow row = rows.change(KEY);
                assertThat(row.queue).containsKey("heir/1");
                return true;
            });
        }
    }

    private static void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void deadHeirIsNotCountedAsWaiting() {
        try (Interlock interlock = Interlock.over(
                        JdbcBackend.builder(database.url()).namespace(namespace).build());
                Lease lease = interlock.locks().acquire(KEY)) {
            database.execute("UPDATE interlock_lock SET crowded = 2, heir = ARRAY['heir/1', '', ''],"
                    + " heir_times = ARRAY[1, 1, 0]" + here());
            assertThat(interlock.operator().inspect(lease.key()).map(LockSnapshot::waiters))
                    .contains(0);
        }
    }

    /** Ends the grant over its row, and makes a statement of somebody else's between looking at the row and writing it. */
    private void releaseWhile(String meanwhile) {
        steps.on(Set.of(KEY), Set.of(), rows -> {
            LockRow row = rows.change(KEY);
            row.holders.removeIf(holder -> holder.mode == LockMode.EXCLUSIVE);
            rows.refresh(row);
            database.execute(meanwhile);
            return true;
        });
    }

    private void hold(int crowded) {
        database.execute(
                "INSERT INTO interlock_lock (namespace, name, number, owner, lease_end, crowded, arrivals) VALUES ('"
                        + namespace + "', 'key', 5, 'holder/1', " + NOW + " + 60000000, " + crowded + ", 1)");
    }

    private void queue(String owner, String mode) {
        database.execute(
                "INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity, heard_within,"
                        + " heard_at, token_floor) VALUES ('" + namespace + "', 'key', 1, '" + owner + "', '" + mode
                        + "', 1, 1, " + HEARD_WITHIN + ", " + NOW + ", 0)");
    }

    private String here() {
        return " WHERE namespace = '" + namespace + "'";
    }

    /** No row is made here, which is what it would be needed for. */
    private static StoreContext unused() {
        return (StoreContext) Proxy.newProxyInstance(
                StoreContext.class.getClassLoader(), new Class<?>[] {StoreContext.class}, (proxy, method, args) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
    }
}
