package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.MariaDbServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("repeated")
class MariaDbServerFaultTest extends ServerFaultCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MariaDbServer.own(), Dialect.MARIADB);

    MariaDbServerFaultTest() {
        super(database);
    }
}
