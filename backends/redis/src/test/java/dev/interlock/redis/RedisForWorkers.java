package dev.interlock.redis;

import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.workers.WorkerBackend;
import java.util.function.Supplier;

/** Tells worker processes how to connect; the address is a URI. Public, because they find it by its name. */
public final class RedisForWorkers implements WorkerBackend {
    private static final int TRIES = 10;

    @Override
    public Backend connect(String address, String namespace) {
        return patiently(RedisBackend.builder(address).namespace(namespace));
    }

    /** A JVM that has just started may need longer for its first connection than a connection may take. */
    static RedisBackend patiently(RedisBackend.Builder builder) {
        for (int i = 1; i < TRIES; i++) {
            try {
                return builder.build();
            } catch (StoreUnavailableException e) {
                // Once more: by now the driver is loaded.
            }
        }
        return builder.build();
    }

    /** The same for a run that opens several. */
    static Supplier<Backend> patiently(Supplier<RedisBackend.Builder> builders) {
        return () -> patiently(builders.get());
    }
}
