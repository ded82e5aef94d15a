package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.PostgresServer;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresClockTest extends ClockCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.own().steppableClock(), Dialect.POSTGRESQL);

    PostgresClockTest() {
        super(database);
    }
}
