package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Statements that travel together: each does what it would do alone, except that it waits for no row. */
@Timeout(30)
class TogetherTest {
    private static final String NOW = Dialect.POSTGRESQL.now();
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final long LARGEST = 9007199254740991L;

    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    private static HikariDataSource pool;

    private final String namespace = UUID.randomUUID().toString();

    @BeforeAll
    static void open() {
        pool = Pools.of(database.url(), 4);
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    private Together together() {
        return new StartUp(pool, namespace, Duration.ofSeconds(5), 0).table().together();
    }

    private void row(String name, long number, String owner, boolean crowded) {
        database.execute("INSERT INTO interlock_lock (namespace, name, number, owner, lease_end, record_end, crowded)"
                + " VALUES ('" + namespace + "', '" + name + "', " + number + ", " + owner + ", " + NOW
                + " + 60000000, " + NOW + " + 60000000, " + (crowded ? 1 : 0) + ")");
    }

    private static Attempt attempt(String name, long floor) {
        Claim claim = new Claim(LockKey.of(name), LockMode.EXCLUSIVE, 1, 1, LEASE, Duration.ZERO);
        return new Attempt(
                OwnerId.parse("me/" + name.length()), List.of(claim), List.of(), true, floor, LEASE, LEASE, "here");
    }

    private static Grant grant(String name, long number) {
        return new Grant(LockKey.of(name), OwnerId.parse("me/1"), number);
    }

    private List<Long> take(String... names) throws SQLException {
        List<Attempt> attempts = Stream.of(names).map(name -> attempt(name, 0)).toList();
        try (Connection connection = pool.getConnection()) {
            return together().takeMany(connection, attempts);
        }
    }

    private String ownerOf(String name) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("SELECT owner FROM interlock_lock WHERE namespace = '" + namespace
                        + "' AND name = '" + name + "'")) {
            return row.next() ? String.valueOf(row.getString(1)) : "no row";
        }
    }

    /** Locks a row for as long as the connection is open. */
    private Connection sitOn(String name) throws SQLException {
        Connection sitting = pool.getConnection();
        sitting.setAutoCommit(false);
        try (Statement statement = sitting.createStatement()) {
            statement.execute("SELECT 1 FROM interlock_lock WHERE namespace = '" + namespace + "' AND name = '" + name
                    + "' FOR UPDATE");
        }
        return sitting;
    }

    @Test
    void freeOnesAreTakenAndNumbersStandWhereTheirLocksDo() throws SQLException {
        row("a", 5, "NULL", false);
        row("bb", 5, "'other/1'", false);
        row("ccc", 5, "NULL", true);
        row("dddd", LARGEST, "NULL", false);
        row("eeeee", LARGEST - 10, "NULL", false);
        row("ffffff", 7, "NULL", false);
        row("sat on", 5, "NULL", false);
        try (Connection sitting = sitOn("sat on")) {
            List<Long> numbers = take("a", "bb", "ccc", "dddd", "eeeee", "missing", "sat on", "ffffff");

            assertThat(numbers)
                    .element(0)
                    .satisfies(number -> assertThat(number).isGreaterThan(5));
            assertThat(numbers.subList(1, 4)).containsOnly(0L);
            assertThat(numbers.get(4)).isEqualTo(LARGEST - 9);
            assertThat(numbers.subList(5, 7)).containsOnly(0L);
            assertThat(numbers.get(7)).isGreaterThan(7).isNotEqualTo(LARGEST - 9);
            sitting.rollback();
        }
        assertThat(ownerOf("a")).isEqualTo("me/1");
        assertThat(ownerOf("bb")).isEqualTo("other/1");
        assertThat(ownerOf("sat on")).isEqualTo("null");
        assertThat(ownerOf("ffffff")).isEqualTo("me/6");
        assertThat(ownerOf("missing")).isEqualTo("no row");
    }

    @Test
    void everyAttemptHasItsOwnFloor() throws SQLException {
        long high = LARGEST - 100;
        row("a", 5, "NULL", false);
        row("bb", 5, "NULL", false);
        try (Connection connection = pool.getConnection()) {
            List<Long> numbers = together().takeMany(connection, List.of(attempt("a", high), attempt("bb", 0)));
            assertThat(numbers.get(0)).isEqualTo(high + 1);
            assertThat(numbers.get(1)).isLessThan(high);
        }
    }

    @Test
    void onlyTheCurrentGrantOfALockThatNobodyWaitsForIsEnded() throws SQLException {
        row("a", 5, "'me/1'", false);
        row("former", 9, "'me/1'", false);
        row("waited for", 5, "'me/1'", true);
        row("of another", 5, "'other/1'", false);
        row("sat on", 5, "'me/1'", false);
        row("z", 6, "'me/1'", false);
        try (Connection sitting = sitOn("sat on");
                Connection connection = pool.getConnection()) {
            List<Boolean> given = together()
                    .giveMany(
                            connection,
                            List.of(
                                    grant("a", 5),
                                    grant("former", 5),
                                    grant("waited for", 5),
                                    grant("of another", 5),
                                    grant("sat on", 5),
                                    grant("z", 6)));

            assertThat(given).containsExactly(true, false, false, false, false, true);
            sitting.rollback();
        }
        assertThat(ownerOf("a")).isEqualTo("null");
        assertThat(ownerOf("former")).isEqualTo("me/1");
        assertThat(ownerOf("z")).isEqualTo("null");
    }

    /** The server carries them out in one transaction: what one of them breaks is not half done. */
    @Test
    void ifOneIsRefusedNoneIsDone() throws SQLException {
        row("a", 5, "NULL", false);
        row("bb", 5, "NULL", false);
        Attempt poisoned = attempt("bb", Long.MAX_VALUE);
        try (Connection connection = pool.getConnection()) {
            assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(
                                    SQLException.class,
                                    () -> together().takeMany(connection, List.of(attempt("a", 0), poisoned)))
                            .getSQLState())
                    .isEqualTo("22003");
            assertThat(together().takeMany(connection, List.of(attempt("bb", 0), attempt("a", 0))))
                    .doesNotContain(0L);
        }
    }
}
