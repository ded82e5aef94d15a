package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.MariaDbServer;
import org.junit.jupiter.api.extension.RegisterExtension;

class MariaDbEndedSessionsTest extends EndedSessionsCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MariaDbServer.shared(), Dialect.MARIADB);

    MariaDbEndedSessionsTest() {
        super(database);
    }
}
