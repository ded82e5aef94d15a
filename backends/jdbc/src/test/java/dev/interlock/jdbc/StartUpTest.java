package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.testkit.servers.MySqlServer;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Problems of a database are reported at the start and by name: S06, S13, S14. S13 is also reported when it occurs
 * later.
 */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class StartUpTest {
    /** Tests that change the settings of a shared server exclude each other. */
    private static final String SETTINGS = "settings of a shared server";

    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.shared();

    @RegisterExtension
    static final MariaDbServer mariaDb = MariaDbServer.shared();

    @RegisterExtension
    static final MySqlServer mySql = MySqlServer.shared();

    private static String freshDatabase(Dialect dialect) throws SQLException {
        return switch (dialect) {
            case POSTGRESQL -> postgres.freshDatabase();
            case MARIADB -> mariaDb.freshDatabase();
            case MYSQL -> mySql.freshDatabase();
            case H2 -> "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        };
    }

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void createTables(String url) {
        try (HikariDataSource pool = Pools.of(url, 1)) {
            JdbcBackend.builder(pool).createSchemaIfMissing().build();
        }
    }

    private static JdbcBackend connect(String url) {
        try (HikariDataSource pool = Pools.of(url, 1)) {
            return JdbcBackend.over(pool);
        }
    }

    /** S14 */
    @ParameterizedTest
    @EnumSource
    void databaseWithoutTablesIsRefusedAndTheMessageSaysHowToCreateThem(Dialect dialect) throws Exception {
        String url = freshDatabase(dialect);
        assertThatThrownBy(() -> connect(url))
                .isInstanceOf(LockRefusedException.class)
                .satisfies(error -> assertThat(error.getMessage().toLowerCase(Locale.ROOT))
                        .contains("interlock_namespace", "schema.sql"));
    }

    /** S14: removes each table and each column in turn and collects those that the start does not notice. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void everyMissingTableAndColumnIsFoundAtTheStart(Dialect dialect) throws Exception {
        String url = freshDatabase(dialect);
        createTables(url);
        connect(url);
        List<String> unnoticed = new ArrayList<>();
        for (String table : List.of(
                "interlock_lock",
                "interlock_holder",
                "interlock_waiter",
                "interlock_namespace",
                "interlock_wait_report")) {
            execute(url, "ALTER TABLE " + table + " RENAME TO elsewhere");
            notice(url, table, unnoticed);
            execute(url, "ALTER TABLE elsewhere RENAME TO " + table);
            for (String column : columns(url, table)) {
                execute(url, "ALTER TABLE " + table + " RENAME COLUMN " + column + " TO elsewhere");
                notice(url, column, unnoticed);
                execute(url, "ALTER TABLE " + table + " RENAME COLUMN elsewhere TO " + column);
            }
        }
        assertThat(unnoticed).isEmpty();
        connect(url);
    }

    private static void notice(String url, String what, List<String> unnoticed) {
        try {
            connect(url);
            unnoticed.add(what);
        } catch (LockRefusedException e) {
            assertThat(e).hasMessageContaining(what);
        }
    }

    private static List<String> columns(String url, String table) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(url);
                ResultSet found = connection.getMetaData().getColumns(connection.getCatalog(), null, table, "%")) {
            while (found.next()) {
                names.add(found.getString("COLUMN_NAME"));
            }
        }
        return names;
    }

    /** S14 */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "interlock_lock",
                "interlock_holder",
                "interlock_waiter",
                "interlock_namespace",
                "interlock_wait_report"
            })
    void missingRightIsFoundAtTheStart(String table) throws Exception {
        String url = postgres.freshDatabase();
        createTables(url);
        String user = "poor_" + UUID.randomUUID().toString().replace('-', '_');
        execute(url, "CREATE USER " + user);
        execute(
                url,
                "GRANT SELECT, INSERT, UPDATE, DELETE ON interlock_lock, interlock_holder, interlock_waiter,"
                        + " interlock_namespace, interlock_wait_report TO " + user);
        String poor = url.replace("user=postgres", "user=" + user);
        connect(poor);
        execute(url, "REVOKE INSERT, UPDATE, DELETE ON " + table + " FROM " + user);
        assertThatThrownBy(() -> connect(poor))
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining(table);
    }

    private static String readOnly(Dialect dialect) {
        return dialect == Dialect.POSTGRESQL
                ? "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"
                : "SET SESSION TRANSACTION READ ONLY";
    }

    /** S13 */
    @ParameterizedTest
    @EnumSource(names = "H2", mode = EnumSource.Mode.EXCLUDE)
    void readOnlyDatabaseIsRefusedAtTheStart(Dialect dialect) throws Exception {
        String url = freshDatabase(dialect);
        createTables(url);
        try (HikariDataSource pool = Pools.of(url, 1, config -> config.setConnectionInitSql(readOnly(dialect)))) {
            assertThatThrownBy(() -> JdbcBackend.over(pool))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("read-only")
                    .hasMessageContaining("primary");
        }
    }

    /** S13, as after a failover that left the pool with connections to a standby. */
    @ParameterizedTest
    @EnumSource(names = "H2", mode = EnumSource.Mode.EXCLUDE)
    void databaseThatBecomesReadOnlyIsUnavailableUntilItIsWritable(Dialect dialect) throws Exception {
        String url = freshDatabase(dialect);
        createTables(url);
        LockKey key = LockKey.of("s13");
        try (HikariDataSource primary = Pools.of(url, 3);
                HikariDataSource standby = Pools.of(url, 3, config -> config.setConnectionInitSql(readOnly(dialect)))) {
            SwitchedSource source = new SwitchedSource(primary);
            try (Interlock interlock = Interlock.over(JdbcBackend.over(source))) {
                interlock.locks().acquire(key).close();
                source.to(standby);
                assertThatThrownBy(() -> interlock
                                .locks()
                                .with(key)
                                .waitAtMost(Duration.ofSeconds(2))
                                .acquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("read-only");
                source.to(primary);
                interlock.locks().acquire(key).close();
            }
        }
    }

    /** S06 */
    @Test
    void postgresThatDoesNotWaitForItsDiskHasNoStrictTokens() throws Exception {
        String url = postgres.freshDatabase();
        createTables(url);
        assertThat(strict(url)).isEqualTo(StoreCapabilities.Tokens.STRICT);
        String hasty = url + "&options=-c%20synchronous_commit=off";
        assertThatThrownBy(() -> strict(hasty))
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("synchronous_commit");
        String name = url.replaceFirst(".*/", "").replaceFirst("\\?.*", "");
        execute(url, "ALTER DATABASE " + name + " SET synchronous_commit = off");
        assertThatThrownBy(() -> strict(url))
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("synchronous_commit");
        assertThat(connect(url).capabilities().tokens()).isEqualTo(StoreCapabilities.Tokens.CLOCK_BOUNDED);
    }

    /** S06 */
    @ResourceLock(SETTINGS)
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void serverThatFlushesItsLogLaterHasNoStrictTokens(Dialect dialect) throws Exception {
        String url = freshDatabase(dialect);
        createTables(url);
        assertThat(strict(url)).isEqualTo(StoreCapabilities.Tokens.STRICT);
        for (int weak : new int[] {0, 2}) {
            execute(url, "SET GLOBAL innodb_flush_log_at_trx_commit = " + weak);
            try {
                assertThatThrownBy(() -> strict(url))
                        .isInstanceOf(LockRefusedException.class)
                        .hasMessageContaining("innodb_flush_log_at_trx_commit");
            } finally {
                execute(url, "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
            }
        }
    }

    /** S06: with a binary log, that log decides after a crash what was committed. */
    @ResourceLock(SETTINGS)
    @Test
    void serverThatFlushesItsBinaryLogLaterHasNoStrictTokens() throws Exception {
        String url = freshDatabase(Dialect.MYSQL);
        createTables(url);
        execute(url, "SET GLOBAL sync_binlog = 0");
        try {
            assertThatThrownBy(() -> strict(url))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("sync_binlog is 0");
            assertThat(connect(url).capabilities().tokens()).isEqualTo(StoreCapabilities.Tokens.CLOCK_BOUNDED);
        } finally {
            execute(url, "SET GLOBAL sync_binlog = 1");
        }
        assertThat(strict(url)).isEqualTo(StoreCapabilities.Tokens.STRICT);
    }

    /** S06 */
    @Test
    void postgresWithoutFsyncHasNoStrictTokens() throws Exception {
        try (PostgresServer careless = PostgresServer.own().with("fsync", "off")) {
            careless.start();
            String url = careless.freshDatabase();
            createTables(url);
            assertThatThrownBy(() -> strict(url))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("fsync is off");
            assertThat(connect(url).capabilities().tokens()).isEqualTo(StoreCapabilities.Tokens.CLOCK_BOUNDED);
        }
    }

    private static StoreCapabilities.Tokens strict(String url) {
        try (HikariDataSource pool = Pools.of(url, 1)) {
            return JdbcBackend.builder(pool)
                    .requireStrictTokens()
                    .build()
                    .capabilities()
                    .tokens();
        }
    }

    /** A password must not appear in logs or names. */
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL", "POSTGRESQL"})
    void namesAndErrorsHideThePassword(Dialect dialect) throws Exception {
        String url = freshDatabase(dialect);
        assertThatThrownBy(() -> connect(url))
                .satisfies(error -> assertThat(error.getMessage()).doesNotContain("password="));
        createTables(url);
        assertThat(connect(url).toString()).doesNotContain("password=").doesNotContain("user=");
    }
}
