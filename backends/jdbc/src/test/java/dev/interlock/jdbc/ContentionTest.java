package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Many processes use the same rows, or one transaction keeps a row locked. Deadlocks, conflicts and lock time-outs of
 * the database are handled and never reach callers. S09, S10, S12.
 */
@Timeout(90)
@Tag("server")
class ContentionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final Databases databases = new Databases();

    private final String namespace = UUID.randomUUID().toString();

    /** A process with its own pool. */
    private Interlock open(Dialect dialect) {
        HikariDataSource pool = Pools.of(databases.pool(dialect).getJdbcUrl(), 6);
        return Interlock.over(
                new PooledBackend(JdbcBackend.builder(pool).namespace(namespace).build(), pool));
    }

    private Interlock open(HikariDataSource pool) {
        return Interlock.over(JdbcBackend.builder(pool).namespace(namespace).build());
    }

    /** Runs work in several threads, distributed over the processes, and returns what they threw. */
    private static Queue<Throwable> inParallel(List<Interlock> processes, int threads, Consumer<Interlock> work)
            throws InterruptedException {
        Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        List<Thread> all = IntStream.range(0, threads)
                .mapToObj(i -> new Thread(() -> {
                    try {
                        work.accept(processes.get(i % processes.size()));
                    } catch (RuntimeException | AssertionError e) {
                        thrown.add(e);
                    }
                }))
                .toList();
        all.forEach(Thread::start);
        for (Thread thread : all) {
            thread.join();
        }
        return thrown;
    }

    /** S09: each thread names the same locks in another order, so takes, releases and hand-overs meet. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource
    void setsInOppositeOrdersNeverDeadlock(Dialect dialect) throws Exception {
        LockKey a = LockKey.of("a");
        LockKey b = LockKey.of("b");
        LockKey c = LockKey.of("c");
        int[] guarded = new int[1];
        AtomicInteger turn = new AtomicInteger();
        List<List<LockKey>> orders = List.of(List.of(a, b, c), List.of(c, b, a), List.of(b, c, a), List.of(c, a, b));
        try (Interlock one = open(dialect);
                Interlock two = open(dialect)) {
            Queue<Throwable> thrown = inParallel(List.of(one, two), 4, process -> {
                for (int i = 0; i < 3; i++) {
                    List<LockKey> keys = orders.get(turn.getAndIncrement() % orders.size());
                    process.locks().with(keys).waitAtMost(PATIENCE).run(leases -> guarded[0]++);
                }
            });
            assertThat(thrown).isEmpty();
            assertThat(guarded[0]).isEqualTo(12);
        }
    }

    /** S10: a data source with the strictest isolation, and one hot row. A busy lock is not an error. */
    @ParameterizedTest
    @EnumSource
    void conflictsOfStrictIsolationNeverReachCallers(Dialect dialect) throws Exception {
        LockKey key = LockKey.of("hot");
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger busy = new AtomicInteger();
        int[] guarded = new int[1];
        try (HikariDataSource strict = Pools.of(
                databases.pool(dialect).getJdbcUrl(),
                20,
                config -> config.setTransactionIsolation("TRANSACTION_SERIALIZABLE"))) {
            List<Interlock> processes =
                    IntStream.range(0, 6).mapToObj(i -> open(strict)).toList();
            try {
                Queue<Throwable> thrown = inParallel(processes, processes.size(), process -> {
                    for (int i = 0; i < 25; i++) {
                        Optional<Lease> lease = process.locks().tryAcquire(key);
                        if (lease.isPresent()) {
                            guarded[0]++;
                            lease.get().close();
                            granted.incrementAndGet();
                        } else {
                            busy.incrementAndGet();
                        }
                    }
                    process.locks().with(key).waitAtMost(PATIENCE).run(lease -> {
                        guarded[0]++;
                        granted.incrementAndGet();
                    });
                });
                System.out.printf(
                        "S10 on %s: %d granted, %d busy, %d errors%n",
                        dialect, granted.get(), busy.get(), thrown.size());
                assertThat(thrown).isEmpty();
            } finally {
                processes.forEach(Interlock::close);
            }
        }
        assertThat(guarded[0]).isEqualTo(granted.get());
    }

    /** The same with waiters, so that hand-overs, heartbeats and withdrawals meet at the same rows. */
    @ParameterizedTest
    @EnumSource
    void conflictsAmongWaitersOfManyProcessesNeverReachCallers(Dialect dialect) throws Exception {
        List<LockKey> keys = List.of(LockKey.of("hot-1"), LockKey.of("hot-2"));
        AtomicInteger turn = new AtomicInteger();
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger busy = new AtomicInteger();
        List<Interlock> processes =
                IntStream.range(0, 4).mapToObj(i -> open(dialect)).toList();
        try {
            Queue<Throwable> thrown = inParallel(processes, 8, process -> {
                for (int i = 0; i < 4; i++) {
                    int n = turn.getAndIncrement();
                    Duration patience = n % 3 == 0 ? Duration.ofMillis(300) : PATIENCE;
                    var request = process.locks().with(keys.get(n % 2)).waitAtMost(patience);
                    try (Lease lease = (n % 5 == 0 ? request.shared() : request).acquire()) {
                        granted.incrementAndGet();
                    } catch (LockTimeoutException e) {
                        busy.incrementAndGet();
                    } catch (StoreUnavailableException e) {
                        // On a busy machine an answer may take longer than this patience.
                        if (patience.equals(PATIENCE)) {
                            throw e;
                        }
                    }
                }
            });
            assertThat(thrown).isEmpty();
        } finally {
            processes.forEach(Interlock::close);
        }
        System.out.printf("S10 with waiters on %s: %d granted, %d busy%n", dialect, granted.get(), busy.get());
    }

    /** Keeps the row of a lock locked until the returned connection is closed. */
    private Connection lockRow(Dialect dialect, LockKey key) throws Exception {
        Connection idle = DriverManager.getConnection(databases.pool(dialect).getJdbcUrl());
        idle.setAutoCommit(false);
        try (PreparedStatement statement = idle.prepareStatement(
                "SELECT number FROM interlock_lock WHERE namespace = ? AND name = ? FOR UPDATE")) {
            dialect.setName(statement, 1, namespace);
            dialect.setName(statement, 2, key.name());
            assertThat(statement.executeQuery().next()).isTrue();
        }
        return idle;
    }

    /** S12 */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource
    void idleTransactionOnARowCostsCallersAtMostTheirPatience(Dialect dialect) throws Exception {
        LockKey key = LockKey.of("locked-row");
        Duration patience = Duration.ofMillis(700);
        try (Interlock interlock = open(dialect)) {
            interlock.locks().acquire(key).close();
            try (Connection idle = lockRow(dialect, key)) {
                for (int i = 0; i < 2; i++) {
                    long began = System.nanoTime();
                    assertThatThrownBy(() -> interlock
                                    .locks()
                                    .with(key)
                                    .waitAtMost(patience)
                                    .acquire())
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining(key.name());
                    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(patience.plusSeconds(3));
                }
                // Other locks are not affected.
                interlock.locks().acquire(LockKey.of("free")).close();
                idle.rollback();
            }
            interlock.locks().with(key).waitAtMost(PATIENCE).acquire().close();
        }
    }
}
