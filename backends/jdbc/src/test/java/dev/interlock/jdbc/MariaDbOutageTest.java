package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.MariaDbServer;
import org.junit.jupiter.api.extension.RegisterExtension;

class MariaDbOutageTest extends OutageCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MariaDbServer.shared(), Dialect.MARIADB);

    MariaDbOutageTest() {
        super(database);
    }
}
