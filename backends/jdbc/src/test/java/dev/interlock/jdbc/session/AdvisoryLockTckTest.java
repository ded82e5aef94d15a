package dev.interlock.jdbc.session;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit on PostgreSQL's advisory locks. */
@Tag("server")
class AdvisoryLockTckTest extends BackendTck {
    @RegisterExtension
    static final PostgresServer server = PostgresServer.shared();

    private static String url;

    @BeforeAll
    static void open() throws SQLException {
        url = server.freshDatabase();
        AdvisoryLockBackend.builder(url).createSchemaIfMissing().build();
    }

    @Override
    protected Backend connect(String namespace) {
        return AdvisoryLockBackend.builder(url).namespace(namespace).build();
    }

    /** All share one connection: more would exceed the time limit of a call on a slow machine. */
    @Override
    protected int manyKeys() {
        return 400;
    }

    @Override
    protected int manyWaiters() {
        return 500;
    }

    /** Between processes every hand-over waits for a poll. */
    @Override
    protected int rounds() {
        return 20;
    }
}
