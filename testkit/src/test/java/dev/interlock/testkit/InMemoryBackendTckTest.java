package dev.interlock.testkit;

import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Backend;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The reference backend on virtual time. */
class InMemoryBackendTckTest extends BackendTck {
    private final FakeClock clock = new FakeClock();
    private final Map<String, Backend> namespaces = new ConcurrentHashMap<>();

    @Override
    protected Backend connect(String namespace) {
        return namespaces.computeIfAbsent(namespace, name -> InMemoryBackend.create(clock::worldNanos, 1));
    }

    @Override
    protected TckTime time() {
        return TckTime.of(clock);
    }
}
