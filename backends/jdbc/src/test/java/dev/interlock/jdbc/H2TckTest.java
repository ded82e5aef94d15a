package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The kit on H2 inside the test's own process. */
@Tag("server")
@Tag("full")
class H2TckTest extends BackendTck {
    private static HikariDataSource pool;

    @BeforeAll
    static void open() {
        pool = Pools.of("jdbc:h2:mem:tck;DB_CLOSE_DELAY=-1", 30);
        JdbcBackend.builder(pool).createSchemaIfMissing().build();
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    @Override
    protected Backend connect(String namespace) {
        return JdbcBackend.builder(pool).namespace(namespace).build();
    }

    /** Every step is a commit, and waiters poll. */
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
