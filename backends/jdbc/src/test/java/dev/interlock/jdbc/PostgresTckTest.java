package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit on PostgreSQL. */
@Tag("server")
class PostgresTckTest extends BackendTck {
    @RegisterExtension
    static final PostgresServer server = PostgresServer.shared();

    private static HikariDataSource pool;

    @BeforeAll
    static void open() throws SQLException {
        pool = Pools.of(server.freshDatabase(), 30);
        JdbcBackend.builder(pool).createSchemaIfMissing().build();
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    @Override
    protected Backend connect(String namespace) {
        return JdbcBackend.builder(pool).namespace(namespace).keepConnections(4).build();
    }

    /** Every step is a commit. */
    @Override
    protected int rounds() {
        return 20;
    }

    @Override
    protected int manyKeys() {
        return 1_000;
    }

    @Override
    protected int manyWaiters() {
        return 200;
    }
}
