package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.testkit.servers.MySqlServer;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** All supported databases, with tables and a pool. */
public final class Databases implements BeforeAllCallback, AfterAllCallback {
    private final PostgresServer postgres = PostgresServer.shared();
    private final MariaDbServer mariaDb = MariaDbServer.shared();
    private final MySqlServer mySql = MySqlServer.shared();
    private final Map<Dialect, HikariDataSource> pools = new EnumMap<>(Dialect.class);

    public HikariDataSource pool(Dialect dialect) {
        return pools.get(dialect);
    }

    public JdbcBackend.Builder backend(Dialect dialect) {
        return JdbcBackend.builder(pool(dialect));
    }

    @Override
    public void beforeAll(ExtensionContext context) throws SQLException {
        postgres.beforeAll(context);
        mariaDb.beforeAll(context);
        mySql.beforeAll(context);
        pools.put(Dialect.POSTGRESQL, Pools.of(postgres.freshDatabase(), 10));
        pools.put(Dialect.MARIADB, Pools.of(mariaDb.freshDatabase(), 10));
        pools.put(Dialect.MYSQL, Pools.of(mySql.freshDatabase(), 10));
        pools.put(Dialect.H2, Pools.of("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", 10));
        pools.values()
                .forEach(pool ->
                        JdbcBackend.builder(pool).createSchemaIfMissing().build());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        pools.values().forEach(HikariDataSource::close);
        postgres.afterAll(context);
        mariaDb.afterAll(context);
        mySql.afterAll(context);
    }
}
