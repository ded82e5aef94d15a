package dev.interlock.jdbc;

import dev.interlock.testkit.servers.MySqlServer;
import dev.interlock.testkit.workers.ProcessTck;
import dev.interlock.testkit.workers.WorkerSetup;
import dev.interlock.transactions.internal.Dialect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit with paused and killed processes: P01–P05, P10–P12, P15 and the storm. */
@Tag("full")
@Tag("server")
class MySqlProcessTckTest extends ProcessTck {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(MySqlServer.shared(), Dialect.MYSQL);

    @Override
    protected WorkerSetup workers(String namespace) {
        return WorkerSetup.of(JdbcForWorkers.class, database.url(), namespace);
    }
}
