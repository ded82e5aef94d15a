package dev.interlock.jdbc;

import dev.interlock.testkit.checked.FaultTarget;
import dev.interlock.testkit.checked.SoakTck;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
@Tag("server")
class PostgresSoakTest extends SoakTck {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    @Override
    protected FaultTarget target() {
        return database;
    }
}
