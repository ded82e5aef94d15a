package dev.interlock.jdbc.session;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.MariaDbServer;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit on GET_LOCK of MariaDB. */
@Tag("full")
@Tag("server")
class NamedLockTckTest extends BackendTck {
    @RegisterExtension
    static final MariaDbServer server = MariaDbServer.shared();

    private static String url;

    @BeforeAll
    static void open() throws SQLException {
        url = server.freshDatabase();
        NamedLockBackend.builder(url).createSchemaIfMissing().build();
    }

    @Override
    protected Backend connect(String namespace) {
        return NamedLockBackend.builder(url).namespace(namespace).build();
    }

    /** All share one connection, with two statements each: more would exceed the time limit of a call. */
    @Override
    protected int manyKeys() {
        return 200;
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
