package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.MySqlServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("repeated")
class MySqlServerFaultTest extends ServerFaultCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MySqlServer.own(), Dialect.MYSQL);

    MySqlServerFaultTest() {
        super(database);
    }
}
