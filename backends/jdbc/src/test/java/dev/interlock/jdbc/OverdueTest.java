package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.StoreException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
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
}
