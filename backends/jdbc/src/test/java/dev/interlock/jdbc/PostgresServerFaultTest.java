package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.PostgresServer;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresServerFaultTest extends ServerFaultCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.own(), Dialect.POSTGRESQL);

    PostgresServerFaultTest() {
        super(database);
    }
}
