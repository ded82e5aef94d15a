package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.PostgresServer;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresSoakTest extends SoakCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    PostgresSoakTest() {
        super(database);
    }
}
