package dev.interlock.jdbc;

import dev.interlock.testkit.servers.MySqlServer;
import dev.interlock.transactions.internal.Dialect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
@Tag("server")
class MySqlServerFaultTest extends ServerFaultCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MySqlServer.own(), Dialect.MYSQL);

    MySqlServerFaultTest() {
        super(database);
    }
}
