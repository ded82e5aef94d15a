package dev.interlock.jdbc;

import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.transactions.internal.Dialect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
@Tag("server")
class MariaDbEndedSessionsTest extends EndedSessionsCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MariaDbServer.shared(), Dialect.MARIADB);

    MariaDbEndedSessionsTest() {
        super(database);
    }
}
