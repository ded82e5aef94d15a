package dev.interlock.transactions;

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

/** A fresh database of each supported product, without a connection pool. */
final class EachDatabase implements BeforeAllCallback, AfterAllCallback {
    private final PostgresServer postgres = PostgresServer.shared();
    private final MariaDbServer mariaDb = MariaDbServer.shared();
    private final MySqlServer mySql = MySqlServer.shared();
    private final Map<Dialect, UnpooledSource> sources = new EnumMap<>(Dialect.class);

    UnpooledSource source(Dialect dialect) {
        return sources.get(dialect);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws SQLException {
        postgres.beforeAll(context);
        mariaDb.beforeAll(context);
        mySql.beforeAll(context);
        sources.put(Dialect.POSTGRESQL, new UnpooledSource(postgres.freshDatabase()));
        sources.put(Dialect.MARIADB, new UnpooledSource(mariaDb.freshDatabase()));
        sources.put(Dialect.MYSQL, new UnpooledSource(mySql.freshDatabase()));
        sources.put(Dialect.H2, new UnpooledSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        postgres.afterAll(context);
        mariaDb.afterAll(context);
        mySql.afterAll(context);
    }
}
