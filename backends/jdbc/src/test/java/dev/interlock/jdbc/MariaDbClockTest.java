package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.MariaDbServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("repeated")
class MariaDbClockTest extends ClockCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MariaDbServer.own().steppableClock(), Dialect.MARIADB);

    MariaDbClockTest() {
        super(database);
    }
}
