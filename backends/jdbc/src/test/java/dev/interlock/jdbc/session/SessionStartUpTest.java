package dev.interlock.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Backend;
import dev.interlock.spi.StoreCapabilities;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What is refused at the start, and what is accepted. */
@Tag("server")
class SessionStartUpTest {
    private static Backend build(Kind kind, DataSource source) {
        return kind == Kind.POSTGRESQL
                ? AdvisoryLockBackend.builder(source).build()
                : NamedLockBackend.builder(source).build();
    }

    private static Backend build(Kind kind, String url) {
        return kind == Kind.POSTGRESQL ? AdvisoryLockBackend.connect(url) : NamedLockBackend.connect(url);
    }

    /** Also a pool of one, which never provides a second connection. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void pooledDataSourceIsRefused(int size) throws Exception {
        for (Kind kind : new Kind[] {Kind.POSTGRESQL, Kind.MARIADB}) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(kind.freshDatabase());
            config.setMaximumPoolSize(size);
            try (HikariDataSource pool = new HikariDataSource(config)) {
                assertThatThrownBy(() -> build(kind, pool))
                        .isInstanceOf(LockRefusedException.class)
                        .hasMessageContaining("pooled");
            }
        }
    }

    @Test
    void dataSourceThatOpensNewSessionsIsAccepted() throws Exception {
        PGSimpleDataSource postgres = new PGSimpleDataSource();
        postgres.setUrl(Kind.POSTGRESQL.freshDatabase());
        build(Kind.POSTGRESQL, postgres).close();
        build(Kind.MARIADB, new MariaDbDataSource(Kind.MARIADB.freshDatabase())).close();
    }

    /** S03. */
    @Test
    void poolerThatSwapsSessionsAtTheEndOfATransactionIsRefused() throws Exception {
        SwappingPooler pooler = new SwappingPooler(Kind.POSTGRESQL.freshDatabase());
        assertThatThrownBy(() -> AdvisoryLockBackend.builder(pooler).build())
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("pool_mode = transaction");
    }

    /** S03, for a pooler that swaps sessions only under load: the next probe detects it. */
    @Test
    void poolerThatBeginsToSwapLaterCostsTheSession() throws Exception {
        SwappingPooler pooler = new SwappingPooler(Kind.POSTGRESQL.freshDatabase());
        pooler.swaps = false;
        try (Interlock interlock = Interlock.over(AdvisoryLockBackend.builder(pooler)
                .probeEvery(Duration.ofMillis(100))
                .build())) {
            Lease lease =
                    interlock.locks().with(LockKey.of("swapped")).renew(false).acquire();
            pooler.swaps = true;
            assertThat(lease.lost().toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .isEqualTo(LossReason.SESSION_LOST);
        }
    }

    @ParameterizedTest
    @EnumSource
    void missingTableIsNamedAndCanBeCreated(Kind kind) throws Exception {
        kind.shared().start();
        String url = kind.shared().freshDatabase();
        assertThatThrownBy(() -> build(kind, url))
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("interlock_session_namespace")
                .hasMessageContaining("createSchemaIfMissing");
        kind.createTables(url);
        kind.createTables(url);
        build(kind, url).close();
    }

    @Test
    void missingRightIsNamed() throws Exception {
        String url = Kind.POSTGRESQL.freshDatabase();
        try (Connection connection = DriverManager.getConnection(url)) {
            SessionSql.run(connection, "DROP ROLE IF EXISTS interlock_reader");
            SessionSql.run(connection, "CREATE ROLE interlock_reader LOGIN");
            SessionSql.run(
                    connection, "GRANT SELECT, INSERT, UPDATE ON interlock_session_namespace TO interlock_reader");
            SessionSql.run(connection, "GRANT SELECT ON interlock_session_token TO interlock_reader");
        }
        try {
            assertThatThrownBy(() -> AdvisoryLockBackend.connect(url.replace("user=postgres", "user=interlock_reader")))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("interlock_session_token")
                    .hasMessageContaining("privileges");
        } finally {
            try (Connection connection = DriverManager.getConnection(url)) {
                SessionSql.run(connection, "DROP OWNED BY interlock_reader");
                SessionSql.run(connection, "DROP ROLE interlock_reader");
            }
        }
    }

    @Test
    void otherDatabaseIsRefused() throws Exception {
        String mariaDb = Kind.MARIADB.freshDatabase();
        assertThatThrownBy(() -> AdvisoryLockBackend.connect(mariaDb))
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("PostgreSQL");
        String postgres = Kind.POSTGRESQL.freshDatabase();
        assertThatThrownBy(() -> NamedLockBackend.connect(postgres))
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("MySQL or MariaDB");
    }

    /** S16. The answer of a cluster is a stub; the answer of a single server is real. */
    @Test
    void galeraIsRefused() throws Exception {
        String url = Kind.MARIADB.freshDatabase();
        assertThatThrownBy(() ->
                        NamedLockBackend.builder(url).galera(connection -> true).build())
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("wsrep_on");
        try (Connection connection = DriverManager.getConnection(url)) {
            assertThat(NamedLock.isGalera(connection)).isFalse();
        }
    }

    @Test
    void connectionWithoutASchemaIsRefused() throws Exception {
        String url = Kind.MARIADB.freshDatabase().replaceFirst("(//[^/]+/)[^?]*", "$1");
        assertThatThrownBy(() -> NamedLockBackend.connect(url))
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("schema");
    }

    /** S06. */
    @Test
    void databaseThatMayLoseCommitsIsNotStrict() throws Exception {
        String url = Kind.POSTGRESQL.freshDatabase();
        String forgetful = url + "&options=-c%20synchronous_commit=off";
        assertThatThrownBy(() -> AdvisoryLockBackend.builder(forgetful)
                        .requireStrictTokens()
                        .build())
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("synchronous_commit");
        try (Backend weak = AdvisoryLockBackend.connect(forgetful);
                Backend strong =
                        AdvisoryLockBackend.builder(url).requireStrictTokens().build()) {
            assertThat(weak.capabilities().tokens()).isEqualTo(StoreCapabilities.Tokens.CLOCK_BOUNDED);
            assertThat(strong.capabilities().tokens()).isEqualTo(StoreCapabilities.Tokens.STRICT);
        }
    }

    @Test
    void unreachableDatabaseIsUnavailableAndItsPasswordStaysSecret() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "app");
        properties.setProperty("password", "secret-word");
        for (String url : new String[] {"jdbc:postgresql://127.0.0.1:1/db", "jdbc:mariadb://127.0.0.1:1/db"}) {
            assertThatThrownBy(() -> {
                        if (url.contains("postgresql")) {
                            AdvisoryLockBackend.builder(url, properties).build();
                        } else {
                            NamedLockBackend.builder(url, properties).build();
                        }
                    })
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageNotContaining("secret-word");
        }
    }

    @Test
    void nameHasNoSecrets() throws Exception {
        String url = Kind.POSTGRESQL.freshDatabase() + "&password=secret-word";
        try (Backend backend = AdvisoryLockBackend.connect(url)) {
            assertThat(backend.name()).startsWith("jdbc:postgresql://").doesNotContain("secret-word");
            assertThat(backend.toString()).doesNotContain("secret-word");
        }
    }

    @Test
    void invalidOptionsAreRefused() {
        AdvisoryLockBackend.Builder advisory = AdvisoryLockBackend.builder("jdbc:nothing");
        NamedLockBackend.Builder named = NamedLockBackend.builder("jdbc:nothing");
        assertThatThrownBy(() -> advisory.namespace("a b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> named.namespace("x".repeat(65))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> advisory.probeEvery(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> named.probeEvery(Duration.ofHours(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> advisory.silenceLimit(Duration.ofMillis(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> named.silenceLimit(Duration.ofHours(1))).isInstanceOf(IllegalArgumentException.class);
    }

    /** A closed backend leaves no session, and neither do the checks at the start. */
    @ParameterizedTest
    @EnumSource
    void closedBackendLeavesNoSessionBehind(Kind kind) throws Exception {
        String url = kind.freshDatabase();
        try (OneProcess process = new OneProcess(build(kind, url))) {
            process.take(LockKey.of("left"));
        }
        try (Connection connection = DriverManager.getConnection(url)) {
            String others = kind == Kind.POSTGRESQL
                    ? "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                            + " AND pid <> pg_backend_pid()"
                    : "SELECT count(*) FROM information_schema.processlist WHERE db = DATABASE()"
                            + " AND id <> CONNECTION_ID()";
            await().until(() -> SessionSql.ask(connection, others).equals("0"));
        }
    }
}
