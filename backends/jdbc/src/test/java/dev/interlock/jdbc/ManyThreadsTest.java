package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many threads of one process take and release their own locks on PostgreSQL; none is affected by another. */
@Tag("server")
class ManyThreadsTest {
    @RegisterExtension
    static final PostgresServer server = PostgresServer.shared();

    private static String url;
    private static HikariDataSource pool;

    @BeforeAll
    static void open() throws SQLException {
        url = server.freshDatabase();
        pool = Pools.of(url, 12);
        JdbcBackend.builder(pool).createSchemaIfMissing().build();
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    private static Interlock interlock(String namespace) {
        return Interlock.over(JdbcBackend.builder(pool).namespace(namespace).build());
    }

    private static List<LockKey> known(Interlock interlock, int count) {
        List<LockKey> keys = IntStream.range(0, count)
                .mapToObj(i -> LockKey.of("shared", Integer.toString(i)))
                .toList();
        keys.forEach(key -> interlock.locks().acquire(key).close());
        return keys;
    }

    @Test
    void manyThreadsTakeAndReleaseTheirOwnLocksAndEveryTokenGrows() throws Exception {
        try (Interlock interlock = interlock("own")) {
            List<LockKey> keys = known(interlock, 32);
            Map<LockKey, FencingToken> last = new ConcurrentHashMap<>();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (LockKey key : keys) {
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < 50; i++) {
                                Lease lease = interlock.locks().acquire(key);
                                FencingToken before = last.put(key, lease.token());
                                assertThat(before == null || lease.token().compareTo(before) > 0)
                                        .isTrue();
                                assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
                            }
                        },
                        task -> new Thread(task).start()));
            }
            for (CompletableFuture<Void> thread : threads) {
                thread.get(60, TimeUnit.SECONDS);
            }
        }
    }

    /** Another process holds one of several locks: only that one is busy. */
    @Test
    void onlyTheHeldLockIsBusy() {
        try (Interlock holder = interlock("busy");
                Interlock interlock = interlock("busy")) {
            List<LockKey> keys = known(interlock, 16);
            Lease held = holder.locks().acquire(keys.get(7));
            List<Boolean> got = inParallel(
                    keys,
                    key -> interlock
                            .locks()
                            .tryAcquire(key)
                            .map(lease -> close(lease))
                            .orElse(false));
            assertThat(IntStream.range(0, 16).filter(i -> !got.get(i))).containsExactly(7);
            held.close();
        }
    }

    /** S12: a locked row delays only its own lock. */
    @Test
    void lockedRowDelaysNoOtherLock() throws Exception {
        try (Interlock interlock = interlock("locked");
                Connection idle = DriverManager.getConnection(url)) {
            List<LockKey> keys = known(interlock, 8);
            idle.setAutoCommit(false);
            try (Statement statement = idle.createStatement()) {
                statement.execute(
                        "SELECT 1 FROM interlock_lock WHERE namespace = 'locked' AND name = 'shared:3' FOR UPDATE");
            }
            CompletableFuture<Lease> delayed = CompletableFuture.supplyAsync(() -> interlock
                    .locks()
                    .with(keys.get(3))
                    .waitAtMost(Duration.ofSeconds(1))
                    .tryAcquire()
                    .orElse(null));
            for (int round = 0; round < 5; round++) {
                List<LockKey> others =
                        keys.stream().filter(key -> !key.equals(keys.get(3))).toList();
                assertThat(inParallel(
                                others,
                                key -> close(interlock
                                        .locks()
                                        .with(key)
                                        .waitAtMost(Duration.ofSeconds(30))
                                        .acquire())))
                        .doesNotContain(false);
            }
            idle.rollback();
            delayed.handle((lease, error) -> lease == null || close(lease)).get(30, TimeUnit.SECONDS);
        }
    }

    private static boolean close(Lease lease) {
        lease.close();
        return true;
    }

    private static List<Boolean> inParallel(List<LockKey> keys, java.util.function.Function<LockKey, Boolean> step) {
        List<CompletableFuture<Boolean>> all = keys.stream()
                .map(key -> CompletableFuture.supplyAsync(() -> step.apply(key), task -> new Thread(task).start()))
                .toList();
        return all.stream().map(CompletableFuture::join).toList();
    }
}
