package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.StoreException;
import dev.interlock.transactions.internal.Dialect;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class StatementTimeoutsTest {
    @RegisterExtension
    static final Databases databases = new Databases();

    /**
     * The MySQL drivers report a statement as cancelled even if the server completed it before, so its outcome is
     * unknown. PostgreSQL and H2 report it only if the statement was not completed.
     */
    @ParameterizedTest
    @EnumSource
    void cancelledStatementIsUnknownWhereTheDriverDoesNotKnowItsOutcome(Dialect dialect) throws Exception {
        HikariDataSource pool = databases.pool(dialect);
        LockKey key = LockKey.of("timeouts");
        try (Interlock interlock = Interlock.over(JdbcBackend.over(pool))) {
            interlock.locks().acquire(key).close();
        }
        LockDatabase database;
        try (Connection connection = pool.getConnection()) {
            database = new LockDatabase(pool, connection, "the database", Duration.ofSeconds(10), 0);
        }
        LeaseTable table = new LeaseTable(database, "");
        try (Connection idle = DriverManager.getConnection(pool.getJdbcUrl())) {
            idle.setAutoCommit(false);
            try (PreparedStatement lock =
                    idle.prepareStatement("SELECT number FROM interlock_lock WHERE name = ? FOR UPDATE")) {
                dialect.setName(lock, 1, key.name());
                lock.executeQuery();
            }
            assertThatThrownBy(() -> database.statement(it -> table.lock(it, List.of(key))))
                    .asInstanceOf(InstanceOfAssertFactories.type(StoreException.class))
                    .extracting(StoreException::kind)
                    .isEqualTo(dialect.isMySql() ? StoreException.Kind.UNKNOWN : StoreException.Kind.NOT_SENT);
            idle.rollback();
        }
    }

    /** A statement that counts cancels and blocks each of them. */
    private static Statement slowlyCancelled(AtomicInteger cancels, CountDownLatch arrival) {
        return (Statement) Proxy.newProxyInstance(
                Statement.class.getClassLoader(), new Class<?>[] {Statement.class}, (self, method, values) -> {
                    if (method.getName().equals("cancel")) {
                        cancels.incrementAndGet();
                        arrival.await();
                        return null;
                    }
                    return method.getName().equals("equals") ? self == values[0] : System.identityHashCode(self);
                });
    }

    /**
     * The statement ends while a cancel is on its way to the server. The cancel could hit the next statement on the
     * connection.
     */
    @Test
    void connectionIsNotUsedAgainIfItsStatementEndsDuringACancel() {
        StatementTimeouts timeouts = new StatementTimeouts();
        AtomicInteger cancels = new AtomicInteger();
        CountDownLatch arrival = new CountDownLatch(1);
        Statement statement = slowlyCancelled(cancels, arrival);
        timeouts.begin(statement);
        assertThat(timeouts.end()).as("ended in time").isTrue();

        timeouts.begin(statement);
        Awaitility.await().pollInSameThread().until(() -> cancels.get() > 0);
        assertThat(timeouts.wasCancelled()).isTrue();
        assertThat(timeouts.end()).as("ended during a cancel").isFalse();

        timeouts.begin(statement);
        arrival.countDown();
        assertThat(timeouts.wasCancelled()).isFalse();
        assertThat(timeouts.end()).as("on another connection").isTrue();
    }

    /** Statements stay open, so the same object is used again. Its age starts with each use. */
    @Test
    void ageOfAReusedStatementStartsWithItsLastUse() {
        StatementTimeouts timeouts = new StatementTimeouts();
        AtomicInteger cancels = new AtomicInteger();
        Statement statement = slowlyCancelled(cancels, new CountDownLatch(0));
        long until = System.nanoTime() + Duration.ofMillis(2_600).toNanos();
        while (System.nanoTime() < until) {
            timeouts.begin(statement);
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            assertThat(timeouts.end()).isTrue();
        }
        assertThat(cancels).hasValue(0);
    }
}
