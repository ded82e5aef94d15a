package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.PostgresServer;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresEndedSessionsTest extends EndedSessionsCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    PostgresEndedSessionsTest() {
        super(database);
    }
}
