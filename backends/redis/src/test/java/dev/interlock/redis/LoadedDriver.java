package dev.interlock.redis;

import dev.interlock.lock.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Loads the driver before the first test of a JVM: on a busy computer its first connection takes longer than the
 * silence limit. JUnit finds this extension through {@code META-INF/services}.
 */
public final class LoadedDriver implements BeforeAllCallback {
    private static final AtomicBoolean DONE = new AtomicBoolean();

    @Override
    public void beforeAll(ExtensionContext context) {
        if (DONE.compareAndSet(false, true)) {
            try (RedisBackend unexpected = RedisBackend.builder("redis://127.0.0.1:1")
                    .silenceLimit(Duration.ofSeconds(20))
                    .build()) {
                throw new IllegalStateException(unexpected.name() + " is a port where nothing should listen");
            } catch (StoreUnavailableException expected) {
                // No server listens there, but all classes of the driver are loaded now.
            }
        }
    }
}
