package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.transactions.internal.Dialect;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A process inserts the row of a lock once and does not try again. */
@Tag("server")
class KnownLocksTest {
    private static final int LOCKS = 40;

    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MariaDbServer.shared(), Dialect.MARIADB);

    private final String namespace = UUID.randomUUID().toString();

    @Test
    void locksThatThisProcessHasUsedAreTakenWithoutAnInsert() {
        try (HikariDataSource pool = Pools.of(database.url(), 4);
                Interlock interlock = Interlock.over(
                        JdbcBackend.builder(pool).namespace(namespace).build())) {
            long before = inserts();
            useAll(interlock);
            assertThat(inserts() - before).as("inserts at the first use").isGreaterThanOrEqualTo(LOCKS);
            before = inserts();
            useAll(interlock);
            assertThat(inserts() - before).as("inserts at the second use").isLessThan(LOCKS / 4);
        }
    }

    private static void useAll(Interlock interlock) {
        for (int i = 0; i < LOCKS; i++) {
            try (Lease lease = interlock.locks().acquire(LockKey.of("used", Integer.toString(i)))) {
                lease.ensureHeld();
            }
        }
    }

    private static long inserts() {
        return database.number("SELECT variable_value FROM information_schema.global_status"
                + " WHERE variable_name = 'COM_INSERT_SELECT'");
    }
}
