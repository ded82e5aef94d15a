package dev.interlock.redis;

import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.workers.WorkerBackend;
import java.util.function.Supplier;

/** Connects worker processes. The address is a URI. Public, because workers load this class by name. */
public final class RedisForWorkers implements WorkerBackend {
    private static final int TRIES = 10;

    @Override
    public Backend connect(String address, String namespace) {
        return patiently(RedisBackend.builder(address).namespace(namespace));
    }

    /** Retries, because the first connection of a new JVM may take longer than the silence limit. */
    static RedisBackend patiently(RedisBackend.Builder builder) {
        for (int i = 1; i < TRIES; i++) {
            try {
                return builder.build();
            } catch (StoreUnavailableException e) {
                // Try again: the driver is loaded by now.
            }
        }
        return builder.build();
    }

    /** The same for a run that opens several backends. */
    static Supplier<Backend> patiently(Supplier<RedisBackend.Builder> builders) {
        return () -> patiently(builders.get());
    }
}
