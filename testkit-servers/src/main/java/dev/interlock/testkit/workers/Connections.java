package dev.interlock.testkit.workers;

import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** A worker's connections to the resources: each thread has its own, made when first used and again after a failure. */
final class Connections {
    private final int fencedPort;
    private final int unfencedPort;
    private final ThreadLocal<Map<Integer, ResourceClient>> byPort = ThreadLocal.withInitial(HashMap::new);

    Connections(int fencedPort, int unfencedPort) {
        this.fencedPort = fencedPort;
        this.unfencedPort = unfencedPort;
    }

    /**
     * Asks the resource that keeps this key.
     *
     * @throws UncheckedIOException if no answer came; the request may have been carried out
     */
    ResourceAnswer ask(String key, Function<ResourceClient, ResourceAnswer> request) {
        int port = Ask.isUnfenced(key) ? unfencedPort : fencedPort;
        Map<Integer, ResourceClient> mine = byPort.get();
        try {
            return request.apply(mine.computeIfAbsent(port, ResourceClient::connect));
        } catch (UncheckedIOException e) {
            mine.remove(port);
            throw e;
        }
    }
}
