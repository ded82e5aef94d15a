package dev.interlock.spi;

/**
 * One technology: hands out its stores and says what they promise.
 *
 * <p>Thread-safe. An {@code Interlock} closes its backend when it is closed, unless told otherwise.
 */
public interface Backend extends AutoCloseable {
    /** A short name for messages, for example {@code redis://db-1:6379}; never with a password. */
    String name();

    /** What the lock store promises. Known before the first call, so that a request it cannot serve is refused early. */
    StoreCapabilities capabilities();

    /** Opens the lock store for one Interlock. Must not block on the network. */
    LockStore openLocks(StoreContext context);

    /** Frees connections and threads. A second call does nothing. */
    @Override
    void close();
}
