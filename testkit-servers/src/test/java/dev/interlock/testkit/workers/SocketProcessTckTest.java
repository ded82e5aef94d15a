package dev.interlock.testkit.workers;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The process kit on the in-memory store behind a socket. Redis and PostgreSQL run the kit in every build. */
@Tag("full")
@Tag("server")
class SocketProcessTckTest extends ProcessTck {
    @RegisterExtension
    static final StoreServer SERVER = new StoreServer();

    @Override
    protected WorkerSetup workers(String namespace) {
        return WorkerSetup.of(SocketBackend.ForWorkers.class, Integer.toString(SERVER.port()), namespace);
    }
}
