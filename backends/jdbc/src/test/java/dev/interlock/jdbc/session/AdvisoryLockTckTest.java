package dev.interlock.jdbc.session;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit on PostgreSQL's advisory locks. */
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

    /** Over one connection, and all at once: more would take longer than a call may on a slow machine. */
    @Override
    protected int manyKeys() {
        return 400;
    }

    @Override
    protected int manyWaiters() {
        return 500;
    }

    /** Between processes every turn is a poll. */
    @Override
    protected int rounds() {
        return 20;
    }
}
