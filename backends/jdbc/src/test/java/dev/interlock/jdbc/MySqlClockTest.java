package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.MySqlServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("repeated")
class MySqlClockTest extends ClockCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MySqlServer.own().steppableClock(), Dialect.MYSQL);

    MySqlClockTest() {
        super(database);
    }
}
