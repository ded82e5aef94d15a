package dev.interlock.spi;

/**
 * One kind of store, such as Redis, a database or memory, together with the connections to it.
 *
 * <p>A backend is about locks only: it opens {@link LockStore}s and declares what they promise. Another feature that
 * needs storage gets an SPI of its own, which the same class may implement as well.
 *
 * <p>An {@code Interlock} closes its backend when it is closed, unless it was built with {@code keepBackendOpen()}.
 * Several {@code Interlock}s can then share one backend, and the application closes it after the last of them.
 *
 * <p>Implementations are thread-safe.
 *
 * @since 0.1.0
 */
public interface Backend extends AutoCloseable {
    /**
     * Returns a short name for messages, for example {@code redis://db-1:6379}. It must never contain a password.
     */
    String name();

    /**
     * Returns what the lock store promises. The answer never changes, so the engine refuses a request that the store
     * does not support without a call to it.
     */
    StoreCapabilities capabilities();

    /**
     * Opens the lock store for one {@code Interlock}. Must not wait for the network: a store that cannot be reached is
     * opened all the same, and its calls fail with {@link StoreException}.
     *
     * @param context the executors, the listener and the clock that the store uses
     */
    LockStore openLocks(StoreContext context);

    /** Closes connections and ends threads. Further calls have no effect. */
    @Override
    void close();
}
