package dev.interlock.redis;

import dev.interlock.lock.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Loads the driver before the first test of a JVM, whichever that is: on a busy computer its first connection takes longer than a server may
 * be silent. Found by JUnit itself, see {@code META-INF/services}.
 */
public final class LoadedDriver implements BeforeAllCallback {
    private static final AtomicBoolean DONE = new AtomicBoolean();

    @Override
    public void beforeAll(ExtensionContext context) {
        if (DONE.compareAndSet(false, true)) {
            try (RedisBackend nobody = RedisBackend.builder("redis://127.0.0.1:1")
                    .silence(Duration.ofSeconds(20))
                    .build()) {
                throw new IllegalStateException(nobody.name() + " is a port where nothing should listen");
            } catch (StoreUnavailableException expected) {
                // Nobody is there, but everything that it takes to find out is loaded.
            }
        }
    }
}
