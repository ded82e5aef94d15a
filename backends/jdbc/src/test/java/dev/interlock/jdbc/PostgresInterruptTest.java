package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.PostgresServer;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresInterruptTest extends InterruptCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    PostgresInterruptTest() {
        super(database);
    }
}
