package dev.interlock.testkit.workers;

import dev.interlock.spi.Backend;

/**
 * How a worker process connects to the store under test.
 *
 * <p>A worker is told the name of a class that implements this; the class is public, has a public constructor without
 * arguments, and is on the class path of the test.
 */
public interface WorkerBackend {
    /** A new connection to the locks of this namespace; what the address means is between the test and this class. */
    Backend connect(String address, String namespace);
}
