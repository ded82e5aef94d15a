package dev.interlock.testkit.workers;

import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** A worker's connections to the resources. Each thread has its own, opened on first use and again after a failure. */
final class Connections {
    private final int fencedPort;
    private final int unfencedPort;
    private final ThreadLocal<Map<Integer, ResourceClient>> byPort = ThreadLocal.withInitial(HashMap::new);

    Connections(int fencedPort, int unfencedPort) {
        this.fencedPort = fencedPort;
        this.unfencedPort = unfencedPort;
    }

    /**
     * Sends a request to the resource that keeps this key.
     *
     * @throws UncheckedIOException if no answer came; the request may have taken effect
     */
    ResourceAnswer ask(String key, Function<ResourceClient, ResourceAnswer> request) {
        int port = WorkerRequest.isUnfenced(key) ? unfencedPort : fencedPort;
        Map<Integer, ResourceClient> mine = byPort.get();
        try {
            return request.apply(mine.computeIfAbsent(port, ResourceClient::connect));
        } catch (UncheckedIOException e) {
            mine.remove(port);
            throw e;
        }
    }
}
