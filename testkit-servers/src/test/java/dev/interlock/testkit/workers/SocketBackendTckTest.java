package dev.interlock.testkit.workers;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.BackendTck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The conformance kit on the in-memory store behind a socket, which the process kit also uses. */
@Tag("full")
@Tag("server")
class SocketBackendTckTest extends BackendTck {
    @RegisterExtension
    static final StoreServer SERVER = new StoreServer();

    @Override
    protected Backend connect(String namespace) {
        return SocketBackend.connect(SERVER.port(), namespace);
    }

    @Override
    protected int rounds() {
        return 20;
    }

    @Override
    protected int manyWaiters() {
        return 500;
    }

    @Override
    protected int manyKeys() {
        return 2_000;
    }
}
