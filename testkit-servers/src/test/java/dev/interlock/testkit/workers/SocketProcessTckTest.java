package dev.interlock.testkit.workers;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The process kit on memory behind a socket. Redis and PostgreSQL have theirs in every build. */
@Tag("repeated")
class SocketProcessTckTest extends ProcessTck {
    @RegisterExtension
    static final StoreServer SERVER = new StoreServer();

    @Override
    protected WorkerSetup workers(String namespace) {
        return WorkerSetup.of(SocketBackend.ForWorkers.class, Integer.toString(SERVER.port()), namespace);
    }
}
