package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.testkit.servers.MariaDbServer;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A process does not try to make rows that others have left, one lock after the other. */
class GuessesTest {
    private static final int LOCKS = 40;

    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MariaDbServer.shared(), Dialect.MARIADB);

    private final String namespace = UUID.randomUUID().toString();

    @Test
    void locksThatOthersHaveUsedAreTakenAtTheFirstTry() {
        assertThat(insertsOfUsingAll("used")).as("inserts of the first one").isGreaterThanOrEqualTo(LOCKS);
        assertThat(insertsOfUsingAll("used")).as("inserts of the next one").isLessThan(LOCKS / 4);
    }

    @Test
    void locksThatNobodyHasUsedAreStillMadeAfterSomeThatWere() {
        insertsOfUsingAll("used");
        try (HikariDataSource pool = Pools.of(database.url(), 4);
                Interlock interlock = open(pool)) {
            useAll(interlock, "used");
            long before = inserts();
            useAll(interlock, "new");
            // After the first of them it is known again how it is with strangers.
            assertThat(inserts() - before).isBetween((long) LOCKS, 2L * LOCKS);
        }
    }

    private long insertsOfUsingAll(String name) {
        long before = inserts();
        try (HikariDataSource pool = Pools.of(database.url(), 4);
                Interlock interlock = open(pool)) {
            useAll(interlock, name);
        }
        return inserts() - before;
    }

    private Interlock open(HikariDataSource pool) {
        return Interlock.over(JdbcBackend.builder(pool).namespace(namespace).build());
    }

    private static void useAll(Interlock interlock, String name) {
        for (int i = 0; i < LOCKS; i++) {
            try (Lease lease = interlock.locks().acquire(LockKey.of(name, Integer.toString(i)))) {
                lease.ensureHeld();
            }
        }
    }

    private static long inserts() {
        return database.number(
                "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'COM_INSERT_SELECT'");
    }
}
