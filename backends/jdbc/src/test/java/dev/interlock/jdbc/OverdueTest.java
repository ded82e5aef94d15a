package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.StoreException;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT)
class OverdueTest {
    @RegisterExtension
    static final Databases databases = new Databases();

    /**
     * A driver of MySQL calls a statement cancelled whenever it was told to cancel it, also if the server had done it by then. So it may have been
     * done. PostgreSQL and H2 say so only if it was not.
     */
    @ParameterizedTest
    @EnumSource
    void statementThatWasCancelledMayHaveBeenDoneWhereTheDriverCannotTell(Dialect dialect) throws Exception {
        HikariDataSource pool = databases.pool(dialect);
        LockKey key = LockKey.of("overdue");
        try (Interlock interlock = Interlock.over(JdbcBackend.over(pool))) {
            interlock.locks().acquire(key).close();
        }
        Database database;
        try (Connection connection = pool.getConnection()) {
            database = new Database(pool, connection, "the database", Duration.ofSeconds(10), 0);
        }
        LeaseTable table = new LeaseTable(database, "");
        try (Connection idle = DriverManager.getConnection(pool.getJdbcUrl())) {
            idle.setAutoCommit(false);
            try (PreparedStatement sit =
                    idle.prepareStatement("SELECT number FROM interlock_lock WHERE name = ? FOR UPDATE")) {
                dialect.setName(sit, 1, key.name());
                sit.executeQuery();
            }
            assertThatThrownBy(() -> database.statement(it -> table.lock(it, List.of(key))))
                    .asInstanceOf(InstanceOfAssertFactories.type(StoreException.class))
                    .extracting(StoreException::kind)
                    .isEqualTo(dialect.isMySql() ? StoreException.Kind.UNKNOWN : StoreException.Kind.NOT_SENT);
            idle.rollback();
        }
    }

    /** A statement that says when it was told to end, and takes its time to be told. */
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

    /** The cancel is on its way to the server when the statement ends by itself: it would hit the next one on that connection, perhaps of somebody else. */
    @Test
    void connectionOfAStatementThatEndsWhileItIsCancelledIsNotUsedAgain() {
        Overdue overdue = new Overdue();
        AtomicInteger cancels = new AtomicInteger();
        CountDownLatch arrival = new CountDownLatch(1);
        Statement statement = slowlyCancelled(cancels, arrival);
        overdue.begin(statement);
        assertThat(overdue.end()).as("in time").isTrue();

        overdue.begin(statement);
        Awaitility.await().pollInSameThread().until(() -> cancels.get() > 0);
        assertThat(overdue.wasCancelled()).isTrue();
        assertThat(overdue.end()).as("while it is cancelled").isFalse();

        overdue.begin(statement);
        arrival.countDown();
        assertThat(overdue.wasCancelled()).isFalse();
        assertThat(overdue.end()).as("on another connection").isTrue();
    }

    /** Statements stay open, so the same object comes again and again: each time its age begins anew. */
    @Test
    void statementThatIsUsedAgainIsNotAsOldAsItsFirstUse() {
        Overdue overdue = new Overdue();
        AtomicInteger cancels = new AtomicInteger();
        Statement statement = slowlyCancelled(cancels, new CountDownLatch(0));
        long until = System.nanoTime() + Duration.ofMillis(2_600).toNanos();
        while (System.nanoTime() < until) {
            overdue.begin(statement);
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            assertThat(overdue.end()).isTrue();
        }
        assertThat(cancels).hasValue(0);
    }
}
