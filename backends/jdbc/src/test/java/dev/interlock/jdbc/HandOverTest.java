package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The statements that hand a lock over, crossed by others' transactions that were there first. */
@Timeout(60)
class HandOverTest {
    private static final String NOW = Dialect.POSTGRESQL.now();
    private static final long FORMER = 5;
    private static final int HEARD_WITHIN = 1_000_000;

    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    private static HikariDataSource pool;

    private final String namespace = UUID.randomUUID().toString();
    private final Grant grant = new Grant(LockKey.of("key"), OwnerId.parse("holder/1"), FORMER);
    private final PostgresShortcuts shortcuts =
            new PostgresShortcuts(new Statements(Dialect.POSTGRESQL, new Overdue()), namespace);

    @BeforeAll
    static void open() {
        pool = Pools.of(database.url(), 4);
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    @Test
    void firstWaiterHasTheLockAndAPlaceNoMore() throws Exception {
        hold(2);
        queue(1, "first/1", "E", 0);
        queue(2, "second/1", "E", 0);
        assertThat(handOver()).isTrue();
        assertThat(owner()).isEqualTo("first/1");
        assertThat(waiting()).isEqualTo("second/1");
        assertThat(crowded()).isEqualTo(1);
        assertThat(database.number("SELECT number FROM interlock_lock" + here()))
                .isGreaterThan(FORMER);
    }

    @Test
    void nobodyWaitsAfterTheLastWhoCame() throws Exception {
        hold(1);
        queue(1, "last/1", "E", 0);
        assertThat(handOver()).isTrue();
        assertThat(owner()).isEqualTo("last/1");
        assertThat(crowded()).isZero();
    }

    @Test
    void waiterThatLeavesMeanwhileIsNotGivenTheLock() throws Exception {
        hold(1);
        queue(1, "first/1", "E", 0);
        boolean given = crossedBy("DELETE FROM interlock_waiter" + here());
        assertThat(given).isFalse();
        assertThat(owner()).isEqualTo("holder/1");
    }

    /** Not every version of the server finds a row that has moved; then the next statements do. */
    @Test
    void waiterThatIsHeardOfMeanwhileHasTheLockOrKeepsItsPlace() throws Exception {
        hold(1);
        queue(1, "first/1", "E", 0);
        boolean given = crossedBy("UPDATE interlock_waiter SET heard_at = " + NOW + here());
        assertThat(owner()).isEqualTo(given ? "first/1" : "holder/1");
        assertThat(waiting()).isEqualTo(given ? null : "first/1");
    }

    @Test
    void waiterThatQueuesMeanwhileStaysBehindTheFirst() throws Exception {
        hold(1);
        queue(1, "first/1", "E", 0);
        boolean given =
                crossedBy("UPDATE interlock_lock SET arrivals = 2" + here() + ";" + queueing(2, "second/1", "E", 0));
        assertThat(given).isTrue();
        assertThat(owner()).isEqualTo("first/1");
        assertThat(waiting()).isEqualTo("second/1");
        assertThat(crowded()).isEqualTo(1);
    }

    @Test
    void lockThatWasTakenAwayMeanwhileIsLeftAlone() throws Exception {
        hold(1);
        queue(1, "first/1", "E", 0);
        boolean given = crossedBy("UPDATE interlock_lock SET number = 9, owner = 'thief/1'" + here());
        assertThat(given).isFalse();
        assertThat(owner()).isEqualTo("thief/1");
        assertThat(waiting()).isEqualTo("first/1");
    }

    @Test
    void whereTheFirstHasNotBeenHeardOfNothingIsDone() throws Exception {
        hold(2);
        queue(1, "dead/1", "E", 2 * HEARD_WITHIN);
        queue(2, "first/1", "E", 0);
        assertThat(handOver()).isFalse();
        assertThat(owner()).isEqualTo("holder/1");
        assertThat(database.number("SELECT COUNT(*) FROM interlock_waiter" + here()))
                .isEqualTo(2);
    }

    @Test
    void whereTheFirstWantsToShareNothingIsDone() throws Exception {
        hold(2);
        queue(1, "first/1", "S", 0);
        queue(2, "second/1", "E", 0);
        assertThat(handOver()).isFalse();
        assertThat(owner()).isEqualTo("holder/1");
        assertThat(database.number("SELECT COUNT(*) FROM interlock_waiter" + here()))
                .isEqualTo(2);
    }

    @Test
    void whereNobodyWaitsNothingIsDone() throws Exception {
        hold(0);
        assertThat(handOver()).isFalse();
        assertThat(owner()).isEqualTo("holder/1");
    }

    @Test
    void heirHasTheLockAndNobodyWaitsAnyMore() throws Exception {
        inherit(0);
        assertThat(handToHeir()).isTrue();
        assertThat(owner()).isEqualTo("heir/1");
        assertThat(crowded()).isZero();
        assertThat(database.number("SELECT number FROM interlock_lock" + here()))
                .isGreaterThan(FORMER);
    }

    @Test
    void heirThatHasNotBeenHeardOfIsNotGivenTheLock() throws Exception {
        inherit(2 * HEARD_WITHIN);
        assertThat(handToHeir()).isFalse();
        assertThat(owner()).isEqualTo("holder/1");
    }

    @Test
    void heirThatLeavesMeanwhileIsNotGivenTheLock() throws Exception {
        inherit(0);
        assertThat(crossed("UPDATE interlock_lock SET crowded = 0" + here(), "", this::handToHeir))
                .isFalse();
        assertThat(owner()).isEqualTo("holder/1");
    }

    @Test
    void heirThatHasToQueueWithOthersMeanwhileIsLeftToThem() throws Exception {
        inherit(0);
        assertThat(crossed(
                        "UPDATE interlock_lock SET crowded = 1" + here() + ";" + queueing(1, "heir/1", "E", 0),
                        "",
                        this::handToHeir))
                .isFalse();
        assertThat(owner()).isEqualTo("holder/1");
        assertThat(waiting()).isEqualTo("heir/1");
    }

    @Test
    void lockThatWasTakenAwayMeanwhileIsLeftToItsThief() throws Exception {
        inherit(0);
        assertThat(crossed("UPDATE interlock_lock SET number = 9, owner = 'thief/1'" + here(), "", this::handToHeir))
                .isFalse();
        assertThat(owner()).isEqualTo("thief/1");
    }

    /** It counts its right from when it was heard of, and would outlive its record otherwise. */
    @Test
    void rightOfAnHeirThatIsHeardOfWhileTheRowIsWaitedForIsAsLongAsItThinks() throws Exception {
        inherit(0);
        boolean given = crossed(
                "SELECT 1 FROM interlock_lock" + here() + " FOR UPDATE",
                "SELECT pg_sleep(0.3); UPDATE interlock_lock SET heir_times[2] = " + NOW + here(),
                this::handToHeir);
        assertThat(given).isTrue();
        assertThat(owner()).isEqualTo("heir/1");
        assertThat(database.number("SELECT lease_end - heir_times[2] FROM interlock_lock" + here()))
                .isGreaterThanOrEqualTo(HEARD_WITHIN);
    }

    private void inherit(long silentMicros) {
        hold(0);
        database.execute("UPDATE interlock_lock SET crowded = 2, heir = ARRAY['heir/1', '', ''], heir_times = ARRAY["
                + HEARD_WITHIN + ", " + NOW + " - " + silentMicros + ", 0]" + here());
    }

    private boolean handToHeir() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return shortcuts.handToHeir(connection, grant);
        }
    }

    private long crowded() {
        return database.number("SELECT crowded FROM interlock_lock" + here());
    }

    /** Held, and so many have queued. */
    private void hold(int arrivals) {
        database.execute(
                "INSERT INTO interlock_lock (namespace, name, number, owner, lease_end, record_end, crowded, arrivals) VALUES ('"
                        + namespace + "', 'key', " + FORMER + ", 'holder/1', " + NOW + " + 60000000, " + NOW
                        + " + 60000000, 1, " + arrivals + ")");
    }

    private void queue(int place, String owner, String mode, long silent) {
        database.execute(queueing(place, owner, mode, silent));
    }

    private String queueing(int place, String owner, String mode, long silentMicros) {
        return "INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity, heard_within,"
                + " heard_at, token_floor) VALUES ('" + namespace + "', 'key', " + place + ", '" + owner + "', '" + mode
                + "', 1, 1, " + HEARD_WITHIN + ", " + NOW + " - " + silentMicros + ", 0)";
    }

    private boolean handOver() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return shortcuts.handOver(connection, grant);
        }
    }

    private boolean crossedBy(String statements) throws Exception {
        return crossed(statements, "", this::handOver);
    }

    private interface HandOver {
        boolean make() throws SQLException;
    }

    /** Hands over while the rows that these statements touch are still theirs; others are made once the hand-over waits for them, and committed. */
    private static boolean crossed(String first, String then, HandOver handOver) throws Exception {
        try (Connection other = pool.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(first);
            CompletableFuture<Boolean> handing = CompletableFuture.supplyAsync(() -> {
                try {
                    return handOver.make();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            Awaitility.await()
                    .until(() -> database.number(
                                    "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                            + " AND query ~ '^(WITH gone|UPDATE interlock_lock)' AND datname = current_database()")
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
