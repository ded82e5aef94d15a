package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.redis.RedisBackend;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.transactions.JdbcFence;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

/** The lock is in Redis and the data in PostgreSQL. This is the only module that depends on both backends. */
@Tag("server")
class FenceAcrossStoresTest {
    private static final LockKey KEY = LockKey.of("inventory", "sku-1");

    @RegisterExtension
    static final RedisServer redis = RedisServer.own();

    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.shared();

    private final JdbcFence fence = JdbcFence.inTable();

    @Test
    void databaseRejectsALateWriteEvenAfterRedisLostAllData() throws Exception {
        String url = postgres.freshDatabase();
        fence.createSchemaIfMissing(source(url));
        try (Interlock interlock = Interlock.over(RedisBackend.connect(redis.uri()));
                Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            Lease former = interlock
                    .locks()
                    .with(KEY)
                    .leaseFor(Duration.ofSeconds(1))
                    .renew(false)
                    .acquire();
            fence.raise(connection, former);
            connection.commit();
            former.lost().toCompletableFuture().get(10, TimeUnit.SECONDS);

            Lease current = interlock.locks().acquire(KEY);
            fence.raise(connection, current);
            connection.commit();
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> fence.check(connection, former))
                    .withMessageContaining(former.token().toString())
                    .withMessageContaining(current.token().toString());
            connection.rollback();
            fence.check(connection, current);
            connection.commit();
            current.close();

            redis.command("FLUSHALL");
            try (Lease next = interlock.locks().acquire(KEY)) {
                assertThat(next.token()).isGreaterThan(current.token());
                assertThatNoException().isThrownBy(() -> fence.raise(connection, next));
                assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> fence.check(connection, current));
            }
        }
    }

    private static DataSource source(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        return source;
    }
}
