package dev.interlock.jdbc;

import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("server")
@Tag("full")
class PostgresTransactionFaultTest extends TransactionFaultCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    PostgresTransactionFaultTest() {
        super(database);
    }
}
