package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The statement that hands a lock over, while another transaction has locked its rows first. */
@Timeout(60)
@Tag("server")
class HandOverTest {
    private static final String NOW = Dialect.POSTGRESQL.now();
    private static final long FORMER = 5;
    private static final int HEARTBEAT_WITHIN = 1_000_000;

    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    private static HikariDataSource pool;

    private final String namespace = UUID.randomUUID().toString();
    private final Grant grant = new Grant(LockKey.of("key"), OwnerId.parse("holder/1"), FORMER);
    private final PostgresShortcuts shortcuts =
            new PostgresShortcuts(new Statements(Dialect.POSTGRESQL, new StatementTimeouts()), namespace);

    @BeforeAll
    static void open() {
        pool = Pools.of(database.url(), 4);
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    @Test
    void firstWaiterIsGrantedTheLockAndLeavesTheQueue() throws Exception {
        hold(2);
        queue(1, "first/1", "E", 0);
        queue(2, "second/1", "E", 0);
        assertThat(handOver()).isTrue();
        assertThat(owner()).isEqualTo("first/1");
        assertThat(waiting()).isEqualTo("second/1");
        assertThat(isQueued()).isTrue();
        assertThat(database.number("SELECT number FROM interlock_lock" + here()))
                .isGreaterThan(FORMER);
    }

    @Test
    void queueIsEmptyAfterTheLastWaiter() throws Exception {
        hold(1);
        queue(1, "last/1", "E", 0);
        assertThat(handOver()).isTrue();
        assertThat(owner()).isEqualTo("last/1");
        assertThat(isQueued()).isFalse();
    }

    @Test
    void waiterThatLeavesDuringTheHandOverIsNotGrantedTheLock() throws Exception {
        hold(1);
        queue(1, "first/1", "E", 0);
        boolean given = crossedBy("DELETE FROM interlock_waiter" + here());
        assertThat(given).isFalse();
        assertThat(owner()).isEqualTo("holder/1");
    }

    /** Not every version of the server finds a row that has moved; then the next statements find it. */
    @Test
    void waiterWithAHeartbeatDuringTheHandOverHasTheLockOrKeepsItsPlace() throws Exception {
        hold(1);
        queue(1, "first/1", "E", 0);
        boolean given = crossedBy("UPDATE interlock_waiter SET heartbeat_at = " + NOW + here());
        assertThat(owner()).isEqualTo(given ? "first/1" : "holder/1");
        assertThat(waiting()).isEqualTo(given ? null : "first/1");
    }

    @Test
    void waiterThatQueuesDuringTheHandOverStaysBehindTheFirst() throws Exception {
        hold(1);
        queue(1, "first/1", "E", 0);
        boolean given =
                crossedBy("UPDATE interlock_lock SET last_place = 2" + here() + ";" + queueing(2, "second/1", "E", 0));
        assertThat(given).isTrue();
        assertThat(owner()).isEqualTo("first/1");
        assertThat(waiting()).isEqualTo("second/1");
        assertThat(isQueued()).isTrue();
    }

    @Test
    void lockWithANewHolderIsNotChanged() throws Exception {
        hold(1);
        queue(1, "first/1", "E", 0);
        boolean given = crossedBy("UPDATE interlock_lock SET number = 9, owner = 'other/1'" + here());
        assertThat(given).isFalse();
        assertThat(owner()).isEqualTo("other/1");
        assertThat(waiting()).isEqualTo("first/1");
    }

    @Test
    void deadFirstWaiterIsNotGrantedTheLock() throws Exception {
        hold(2);
        queue(1, "dead/1", "E", 2 * HEARTBEAT_WITHIN);
        queue(2, "first/1", "E", 0);
        assertThat(handOver()).isFalse();
        assertThat(owner()).isEqualTo("holder/1");
        assertThat(database.number("SELECT COUNT(*) FROM interlock_waiter" + here()))
                .isEqualTo(2);
    }

    @Test
    void firstWaiterThatWantsToShareIsNotGrantedTheLock() throws Exception {
        hold(2);
        queue(1, "first/1", "S", 0);
        queue(2, "second/1", "E", 0);
        assertThat(handOver()).isFalse();
        assertThat(owner()).isEqualTo("holder/1");
        assertThat(database.number("SELECT COUNT(*) FROM interlock_waiter" + here()))
                .isEqualTo(2);
    }

    @Test
    void lockWithoutWaitersIsNotChanged() throws Exception {
        hold(0);
        assertThat(handOver()).isFalse();
        assertThat(owner()).isEqualTo("holder/1");
    }

    /**
     * The waiter counts its provisional lease from its last heartbeat; the lease must not end earlier in the database.
     */
    @Test
    void leaseOfAWaiterLastsAsLongAsItsHeartbeatDuringTheHandOver() throws Exception {
        hold(1);
        queue(1, "first/1", "E", 0);
        boolean given = crossed(
                "SELECT 1 FROM interlock_lock" + here() + " FOR UPDATE",
                "SELECT pg_sleep(0.3); UPDATE interlock_waiter SET heartbeat_at = " + NOW + here()
                        + "; INSERT INTO interlock_namespace (namespace, token_floor)"
                        + " SELECT namespace, heartbeat_at FROM interlock_waiter" + here());
        if (given) {
            assertThat(owner()).isEqualTo("first/1");
            assertThat(database.number("SELECT lease_end - (SELECT token_floor FROM interlock_namespace" + here()
                            + ") FROM interlock_lock" + here()))
                    .isGreaterThanOrEqualTo(HEARTBEAT_WITHIN);
        } else {
            assertThat(waiting()).isEqualTo("first/1");
        }
    }

    private boolean isQueued() {
        return database.number("SELECT CASE WHEN queued THEN 1 ELSE 0 END FROM interlock_lock" + here()) == 1;
    }

    /** A held lock whose newest waiter has this place. */
    private void hold(int lastPlace) {
        database.execute(
                "INSERT INTO interlock_lock (namespace, name, number, owner, lease_end, record_end, queued, last_place)"
                        + " VALUES ('"
                        + namespace + "', 'key', " + FORMER + ", 'holder/1', " + NOW + " + 60000000, " + NOW
                        + " + 60000000, TRUE, " + lastPlace + ")");
    }

    private void queue(int place, String owner, String mode, long silent) {
        database.execute(queueing(place, owner, mode, silent));
    }

    private String queueing(int place, String owner, String mode, long silentForMicros) {
        return "INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity, heartbeat_within,"
                + " heartbeat_at, token_floor) VALUES ('" + namespace + "', 'key', " + place + ", '" + owner + "', '"
                + mode
                + "', 1, 1, " + HEARTBEAT_WITHIN + ", " + NOW + " - " + silentForMicros + ", 0)";
    }

    private boolean handOver() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return shortcuts.handOver(connection, grant);
        }
    }

    private boolean crossedBy(String statements) throws Exception {
        return crossed(statements, "");
    }

    /**
     * Hands over while a transaction has run the first statements; it runs the others once the hand-over waits, and
     * commits.
     */
    private boolean crossed(String first, String then) throws Exception {
        try (Connection other = pool.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(first);
            CompletableFuture<Boolean> handing = CompletableFuture.supplyAsync(() -> {
                try {
                    return handOver();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            Awaitility.await()
                    .until(() -> database.number("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND query ~ '^WITH first' AND datname = current_database()")
                            > 0);
            if (!then.isEmpty()) {
                statement.execute(then);
            }
            other.commit();
            other.setAutoCommit(true);
            return handing.get(10, TimeUnit.SECONDS);
        }
    }

    private String owner() throws SQLException {
        return text("SELECT owner FROM interlock_lock" + here());
    }

    private String waiting() throws SQLException {
        return text("SELECT MAX(owner) FROM interlock_waiter" + here());
    }

    private String here() {
        return " WHERE namespace = '" + namespace + "'";
    }

    private static String text(String query) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery(query)) {
            return row.next() ? row.getString(1) : null;
        }
    }
}
