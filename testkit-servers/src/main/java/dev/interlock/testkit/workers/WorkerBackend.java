package dev.interlock.testkit.workers;

import dev.interlock.spi.Backend;

/**
 * How a worker process connects to the store under test.
 *
 * <p>A worker gets the name of a class that implements this interface. The class is public, has a public constructor
 * without arguments, and is on the class path of the test.
 *
 * @since 0.1.0
 */
public interface WorkerBackend {
    /**
     * Opens a connection to the locks of this namespace. The test and this class agree on the meaning of the address.
     */
    Backend connect(String address, String namespace);
}
