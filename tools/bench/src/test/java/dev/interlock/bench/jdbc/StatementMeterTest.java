package dev.interlock.bench.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.ServerMeter;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the counted statements with those that are known to be sent. */
@Tag("full")
@Tag("server")
class StatementMeterTest {
    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.own().with("shared_preload_libraries", "pg_stat_statements");

    @RegisterExtension
    static final MariaDbServer mariaDb = MariaDbServer.own();

    /** Enough operations that the statements of connections opened in between do not matter. */
    private static final int OPERATIONS = 100;

    @ParameterizedTest
    @CsvSource({"raw, 2", "interlock, 2", "advisory, 2", "advisory_blocking, 2", "spring, 8", "shedlock, 6"})
    void statementsOfAnUncontendedLockOnPostgres(String name, int statements) throws SQLException {
        String url = postgres.freshDatabase();
        DatabaseProduct.createTables(url);
        try (StatementMeter meter = StatementMeter.of(postgres, url)) {
            assertThat(perOperation(url, name, meter)).isEqualTo(statements);
        }
    }

    @ParameterizedTest
    @CsvSource({"raw, 2", "interlock, 2", "advisory, 2", "advisory_blocking, 2"})
    void statementsOfAnUncontendedLockOnMariaDb(String name, int statements) throws SQLException {
        String url = mariaDb.freshDatabase();
        DatabaseProduct.createTables(url);
        try (StatementMeter meter = StatementMeter.of(mariaDb)) {
            assertThat(perOperation(url, name, meter)).isEqualTo(statements);
        }
    }

    private static long perOperation(String url, String name, StatementMeter meter) {
        try (Locking locking = new JdbcContenderSet(DatabaseProduct.of(url), () -> url, JdbcContenderSet.LEASE)
                .named(name)
                .opener()
                .get()) {
            LockGuard guard = locking.guard("bench:metered");
            // The first operation may also insert rows.
            guard.run(() -> {});
            ServerMeter.Reading before = meter.read();
            for (int i = 0; i < OPERATIONS; i++) {
                guard.run(() -> {});
            }
            return Math.round(meter.read().since(before).calls() / OPERATIONS);
        }
    }

    @Test
    void readingIsNotCounted() throws SQLException {
        String url = postgres.freshDatabase();
        try (StatementMeter onPostgres = StatementMeter.of(postgres, url);
                StatementMeter onMariaDb = StatementMeter.of(mariaDb)) {
            assertThat(unused(onPostgres)).isZero();
            assertThat(unused(onMariaDb)).isZero();
        }
    }

    private static double unused(StatementMeter meter) {
        ServerMeter.Reading before = meter.read();
        meter.read();
        return meter.read().since(before).calls();
    }

    @Test
    void transactionsCountTheirBeginAndCommit() throws SQLException {
        String url = postgres.freshDatabase();
        try (StatementMeter meter = StatementMeter.of(postgres, url);
                Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            ServerMeter.Reading before = meter.read();
            statement.execute("SELECT 1");
            statement.execute("SELECT 2");
            connection.commit();

            assertThat(meter.read().since(before).calls()).isEqualTo(4);
        }
    }
}
