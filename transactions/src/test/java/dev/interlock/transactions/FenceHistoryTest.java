package dev.interlock.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Several processes increment one counter while an operator keeps releasing their lock by force. Each increment reads
 * in one transaction and writes in another, so without a fence many increments would be lost.
 */
@Tag("server")
class FenceHistoryTest {
    @RegisterExtension
    static final EachDatabase databases = new EachDatabase();

    private static final JdbcFence FENCE = JdbcFence.inTable();
    private static final int PROCESSES = 4;
    private static final int INCREMENTS = 25;

    private final LockKey key = LockKey.of("counter", UUID.randomUUID().toString());
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger staleAccepted = new AtomicInteger();

    /** Set only by a process that has the fence's row locked, in a transaction that then commits. */
    private final AtomicLong newestWriter = new AtomicLong();

    @ParameterizedTest
    @EnumSource
    void countIsExactAlthoughLocksAreReleasedByForce(Dialect dialect) throws Exception {
        FENCE.createSchemaIfMissing(databases.source(dialect));
        TestTransactions.script(
                databases.source(dialect),
                "CREATE TABLE counted (id INT PRIMARY KEY, amount BIGINT NOT NULL)",
                "INSERT INTO counted (id, amount) VALUES (1, 0)");
        InMemoryBackend store = InMemoryBackend.create();
        ExecutorService threads = Executors.newFixedThreadPool(PROCESSES);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < PROCESSES; i++) {
                int process = i;
                all.add(threads.submit(() -> {
                    try (Interlock interlock = Interlock.over(store)) {
                        for (int done = 0, tries = 0; done < INCREMENTS; tries++) {
                            done += increment(dialect, interlock, (process + tries) % 3 == 0) ? 1 : 0;
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        try (Connection connection = databases.source(dialect).getConnection()) {
            assertThat(TestTransactions.number(connection, "SELECT amount FROM counted"))
                    .as("the count, after %s refused writes", refused)
                    .isEqualTo(PROCESSES * INCREMENTS);
        }
        assertThat(staleAccepted).as("stale writes accepted").hasValue(0);
    }

    /**
     * Returns whether the increment was committed. A third of the holders loses the lock between read and write, and
     * writes all the same.
     */
    private boolean increment(Dialect dialect, Interlock interlock, boolean lose) throws SQLException {
        try (Connection connection = databases.source(dialect).getConnection();
                Lease lease = interlock
                        .locks()
                        .with(key)
                        .waitAtMost(Duration.ofSeconds(30))
                        .acquire()) {
            connection.setAutoCommit(false);
            try {
                FENCE.raise(connection, lease);
                connection.commit();
                long seen = TestTransactions.number(connection, "SELECT amount FROM counted");
                connection.commit();
                if (lose) {
                    interlock.operator().forceRelease(key);
                    LockSupport.parkNanos(1_000_000); // time for another process to acquire the lock
                }
                FENCE.check(connection, lease);
                long before = newestWriter.get();
                TestTransactions.execute(connection, "UPDATE counted SET amount = ?", seen + 1);
                if (before > lease.token().value()) {
                    staleAccepted.incrementAndGet();
                }
                newestWriter.set(lease.token().value());
                connection.commit();
                return true;
            } catch (StaleTokenException | ConflictException | LockTimeoutException | LeaseLostException e) {
                refused.incrementAndGet();
                connection.rollback();
                return false;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }
}
