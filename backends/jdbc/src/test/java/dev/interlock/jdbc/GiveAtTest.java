package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A lock is given back by where its row lies only if the row of that very grant lies there. */
@Timeout(60)
class GiveAtTest {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    private final String namespace = UUID.randomUUID().toString();
    private final Grant grant = new Grant(LockKey.of("key"), OwnerId.parse("holder/1"), 5);

    @Test
    void rowThatHasMovedOrIsAnothersOrWantedIsLeftAlone() throws SQLException {
        hold("key", 5);
        hold("other", 5);
        database.execute("UPDATE interlock_lock SET owner = 'holder/2'" + here("other"));
        String before = address("key");
        database.execute("UPDATE interlock_lock SET lease_end = lease_end + 1" + here("key"));
        assertThat(giveAt(before)).as("moved").isFalse();
        assertThat(giveAt(address("other"))).as("another's").isFalse();
        database.execute("UPDATE interlock_lock SET crowded = 2" + here("key"));
        assertThat(giveAt(address("key"))).as("wanted").isFalse();
        database.execute("UPDATE interlock_lock SET crowded = 0, number = 6" + here("key"));
        assertThat(giveAt(address("key"))).as("granted anew").isFalse();
        assertThat(database.number("SELECT COUNT(*) FROM interlock_lock WHERE owner IS NOT NULL AND namespace = '"
                        + namespace + "'"))
                .isEqualTo(2);
    }

    @Test
    void rowThatLiesThereIsGivenBack() throws SQLException {
        hold("key", 5);
        assertThat(giveAt(address("key"))).isTrue();
        assertThat(database.number("SELECT COUNT(*) FROM interlock_lock" + here("key") + " AND owner IS NULL"))
                .isEqualTo(1);
    }

    private boolean giveAt(String address) throws SQLException {
        try (HikariDataSource pool = Pools.of(database.url(), 2);
                Connection connection = pool.getConnection()) {
            LeaseTable table = new StartUp(pool, namespace, Duration.ofSeconds(5), 0).table();
            try (PreparedStatement give = table.givingAt.over(connection)) {
                return table.giveAt(give, grant, address);
            }
        }
    }

    private void hold(String name, long number) {
        database.execute("INSERT INTO interlock_lock (namespace, name, number, owner, lease_end) VALUES ('" + namespace
                + "', '" + name + "', " + number + ", 'holder/1', 9000000000000000)");
    }

    private String address(String name) throws SQLException {
        try (HikariDataSource pool = Pools.of(database.url(), 1);
                Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT ctid FROM interlock_lock" + here(name))) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    private String here(String name) {
        return " WHERE namespace = '" + namespace + "' AND name = '" + name + "'";
    }
}
