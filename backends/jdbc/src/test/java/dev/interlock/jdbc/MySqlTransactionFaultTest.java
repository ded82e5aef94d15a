package dev.interlock.jdbc;

import dev.interlock.testkit.servers.MySqlServer;
import dev.interlock.transactions.internal.Dialect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
@Tag("server")
class MySqlTransactionFaultTest extends TransactionFaultCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MySqlServer.shared(), Dialect.MYSQL);

    MySqlTransactionFaultTest() {
        super(database);
    }
}
