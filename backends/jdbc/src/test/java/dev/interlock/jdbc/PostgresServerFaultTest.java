package dev.interlock.jdbc;

import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
@Tag("server")
class PostgresServerFaultTest extends ServerFaultCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.own(), Dialect.POSTGRESQL);

    PostgresServerFaultTest() {
        super(database);
    }
}
