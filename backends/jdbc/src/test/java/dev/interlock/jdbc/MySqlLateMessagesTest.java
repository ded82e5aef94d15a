package dev.interlock.jdbc;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.testkit.servers.MySqlServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("repeated")
class MySqlLateMessagesTest extends LateMessagesCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MySqlServer.shared(), Dialect.MYSQL);

    MySqlLateMessagesTest() {
        super(database);
    }
}
