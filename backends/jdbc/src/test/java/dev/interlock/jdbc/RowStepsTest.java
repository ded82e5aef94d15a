package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.StoreContext;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Slow steps over locked rows, with heartbeats of waiters in between. */
@Timeout(60)
@Tag("server")
class RowStepsTest {
    private static final LockKey KEY = LockKey.of("key");
    private static final String NOW = Dialect.POSTGRESQL.now();
    private static final long HEARTBEAT_WITHIN = 1_000_000;

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

    /** The waiter is notified of the grant and counts its provisional lease from its last heartbeat. */
    @Test
    void leaseOfAWaiterLastsAsLongAsItsHeartbeatDuringTheStep() {
        hold();
        queue("waiter/1", "E");
        releaseWhile("UPDATE interlock_waiter SET heartbeat_at = " + NOW + " + 500000" + here());
        long heartbeat = database.number("SELECT " + NOW) + 400_000;
        assertThat(database.number("SELECT lease_end FROM interlock_lock" + here() + " AND owner = 'waiter/1'"))
                .isGreaterThan(heartbeat + HEARTBEAT_WITHIN);
    }

    @Test
    void leaseOfASharedWaiterLastsAsLongAsItsHeartbeatDuringTheStep() {
        hold();
        queue("reader/1", "S");
        releaseWhile("UPDATE interlock_waiter SET heartbeat_at = " + NOW + " + 500000" + here());
        long heartbeat = database.number("SELECT " + NOW) + 400_000;
        assertThat(database.number("SELECT record_end FROM interlock_holder" + here() + " AND owner = 'reader/1'"))
                .isGreaterThan(heartbeat + HEARTBEAT_WITHIN);
    }

    /** A process that stopped in the middle of a heartbeat keeps its waiter's row locked. */
    @Test
    void lockedRowOfADeadWaiterDelaysNoStep() throws Exception {
        hold();
        queue("dead/1", "E");
        database.execute("UPDATE interlock_waiter SET heartbeat_at = 1" + here());
        try (Connection stopped = pool.getConnection();
                Statement statement = stopped.createStatement()) {
            stopped.setAutoCommit(false);
            statement.execute("SELECT 1 FROM interlock_waiter" + here() + " FOR UPDATE");
            assertThat(release()).isTrue();
            assertThat(database.number(
                            "SELECT COUNT(*) FROM interlock_lock" + here() + " AND owner IS NULL AND queued"))
                    .as("the lock is free and its queue is checked again")
                    .isEqualTo(1);
            stopped.rollback();
        }
        steps.on(Set.of(KEY), Set.of(), rows -> rows.change(KEY));
        assertThat(database.number("SELECT COUNT(*) FROM interlock_waiter" + here()))
                .isZero();
        assertThat(database.number("SELECT COUNT(*) FROM interlock_lock" + here() + " AND queued"))
                .isZero();
    }

    private boolean release() {
        return steps.on(Set.of(KEY), Set.of(), rows -> {
            LockRow row = rows.change(KEY);
            boolean released = row.release(new Grant(KEY, OwnerId.parse("holder/1"), 5), rows.now);
            rows.refresh(row);
            return released;
        });
    }

    @Test
    void deadWaiterIsNotCounted() {
        try (Interlock interlock = Interlock.over(
                        JdbcBackend.builder(database.url()).namespace(namespace).build());
                Lease lease = interlock.locks().acquire(KEY)) {
            database.execute("UPDATE interlock_lock SET queued = TRUE, last_place = 1" + here());
            queue("dead/1", "E");
            database.execute("UPDATE interlock_waiter SET heartbeat_at = 1" + here());
            assertThat(interlock.operator().inspect(lease.key()).map(LockSnapshot::waiters))
                    .contains(0);
        }
    }

    /** Ends the grant over its row, and runs a statement of another client between reading and writing the row. */
    private void releaseWhile(String statement) {
        steps.on(Set.of(KEY), Set.of(), rows -> {
            LockRow row = rows.change(KEY);
            row.holders.removeIf(holder -> holder.mode == LockMode.EXCLUSIVE);
            rows.refresh(row);
            database.execute(statement);
            return true;
        });
    }

    private void hold() {
        database.execute(
                "INSERT INTO interlock_lock (namespace, name, number, owner, lease_end, queued, last_place) VALUES ('"
                        + namespace + "', 'key', 5, 'holder/1', " + NOW + " + 60000000, TRUE, 1)");
    }

    private void queue(String owner, String mode) {
        database.execute("INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity,"
                + " heartbeat_within, heartbeat_at, token_floor) VALUES ('" + namespace + "', 'key', 1, '" + owner
                + "', '" + mode
                + "', 1, 1, " + HEARTBEAT_WITHIN + ", " + NOW + ", 0)");
    }

    private String here() {
        return " WHERE namespace = '" + namespace + "'";
    }

    /** The context is only used when rows are created, which does not happen here. */
    private static StoreContext unused() {
        return (StoreContext) Proxy.newProxyInstance(
                StoreContext.class.getClassLoader(), new Class<?>[] {StoreContext.class}, (proxy, method, args) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
    }
}
