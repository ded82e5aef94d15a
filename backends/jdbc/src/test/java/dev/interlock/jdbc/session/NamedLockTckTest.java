package dev.interlock.jdbc.session;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import dev.interlock.testkit.servers.MariaDbServer;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit on GET_LOCK of MariaDB. */
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

    /** Over one connection, with two statements each, and all at once: more would take longer than a call may. */
    @Override
    protected int manyKeys() {
        return 200;
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
